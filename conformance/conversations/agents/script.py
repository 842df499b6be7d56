"""What the scripted models of the agents in Python say: the words of ../script.mjs."""

import json
from dataclasses import dataclass, field
from typing import Any

# Whose answers were given up, and what was deleted.
notes: dict[str, list[str]] = {"gone": [], "deleted": []}


@dataclass
class Scene:
    key: str
    words: list[str]
    calls: list[dict[str, Any]] = field(default_factory=list)
    fails: str = ""
    delay: float = 0


@dataclass
class History:
    """What a model receives."""

    users: list[str]  # what the user said, turn by turn
    agent: list[str]  # what the model said
    calls: list[tuple[str, Any, Any]]  # name, arguments and result
    results: list[tuple[str, str]]  # name and text, if they are the newest


def play(history: History) -> Scene:
    if history.results:
        return Scene("", ["Results: ", "; ".join(f"{name}={text}" for name, text in history.results)])
    turn, said = len(history.users), history.users[-1]
    word, _, key = said.partition(" ")
    if word == "recall":
        recalled = {"users": history.users[:-1], "agent": "".join(history.agent), "calls": history.calls}
        return Scene(key, [f"Turn {turn}: ", json.dumps(recalled)])
    scripted = scripts.get(word)
    return scripted(key, turn) if scripted else Scene(key, [f"Turn {turn}: ", f"you said {said}"])


def weather(turn: int) -> dict[str, Any]:
    return {"id": f"call_w{turn}", "name": "get_weather", "args": {"city": "Oslo"}}


def deletion(turn: int, key: str, nth: str = "") -> dict[str, Any]:
    return {"id": f"call_d{turn}{nth}", "name": "delete_file", "args": {"path": key + nth}}


def choosing(turn: int) -> dict[str, Any]:
    return {"id": f"call_c{turn}", "name": "choose_colour", "args": {"question": "Which colour?", "options": ["red", "blue"]}}


def asking(turn: int, nth: str = "") -> dict[str, Any]:
    return {"id": f"call_a{turn}{nth}", "name": "ask_user", "args": {"question": f"Which city{nth}?"}}


scripts = {
    "weather": lambda key, turn: Scene(key, ["Looking. "], [weather(turn)]),
    "delete": lambda key, turn: Scene(key, [], [deletion(turn, key)]),
    "deletes": lambda key, turn: Scene(key, [], [deletion(turn, key), deletion(turn, key, "-2")]),
    "ask": lambda key, turn: Scene(key, [], [asking(turn)]),
    "asks": lambda key, turn: Scene(key, ["Asking. "], [asking(turn), asking(turn, "-2")]),
    "both": lambda key, turn: Scene(key, [], [weather(turn), asking(turn)]),
    "which": lambda key, turn: Scene(key, [], [choosing(turn)]),
    "slow": lambda key, turn: Scene(key, [f"w{n} " for n in range(100)], delay=0.1),
    "boom": lambda key, turn: Scene(key, ["Some words"], fails="the model fell over"),
}


def get_weather(city: str) -> str:
    """The weather in a city."""
    return f"9 degrees in {city}"


def delete_file(path: str) -> str:
    """Deletes a file."""
    notes["deleted"].append(path)
    return f"deleted {path}"
