"""What a file in clients/ must define: a variable `client` of type Client."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Client:
    name: str  # the package and its version, as people read it
    dialect: str
    judge: str  # file in lib/, without .mjs, whose differences() compares what read returns with what was meant
    read: Callable[[str], Any]  # takes a URL, returns what was understood as plain JSON data; may be a coroutine function
    tolerated_when_mutated: list[str] = field(default_factory=list)  # regular expressions for complaints about damage
