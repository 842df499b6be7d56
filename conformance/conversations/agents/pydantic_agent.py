"""A Pydantic AI agent with a scripted model, behind the framework's own AG-UI and AI SDK adapters, to talk with.

    python pydantic_agent.py PORT

POST /agui and /aisdk answer a run; GET /notes says whose answers were given up, and what was deleted.
"""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from pydantic_ai import Agent, DeferredToolRequests, ExternalToolset, ToolDefinition
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from pydantic_ai.ui.vercel_ai import VercelAIAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

notes: dict[str, list[str]] = {"gone": [], "deleted": []}
Said = AsyncIterator[str | dict[int, DeltaToolCall]]


def of_user(message: ModelMessage) -> list[UserPromptPart]:
    return [p for p in message.parts if isinstance(p, UserPromptPart)]


def text_of(part: UserPromptPart) -> str:
    """What the user wrote. Other content than text has no part in the script."""
    return part.content if isinstance(part.content, str) else "".join(c for c in part.content if isinstance(c, str))


def results_in(message: ModelMessage) -> list[ToolReturnPart | RetryPromptPart]:
    return [p for p in message.parts if isinstance(p, ToolReturnPart | RetryPromptPart)]


async def script(messages: list[ModelMessage], info: AgentInfo) -> Said:
    """What the model says to the newest message that it received."""
    users = [p for m in messages if isinstance(m, ModelRequest) for p in of_user(m)]
    results = results_in(messages[-1])
    if results and not of_user(messages[-1]):
        yield "Results: "
        yield "; ".join(f"{p.tool_name}={p.content}" for p in results)
        return
    said = text_of(users[-1])
    if said.startswith("recall "):
        yield f"Turn {len(users)}: "
        yield recall(messages, [text_of(p) for p in users[:-1]])
        return
    word, _, key = said.partition(" ")
    tools = {t.name for t in info.function_tools}
    async for piece in scripts.get(word, echo)(said, key, len(users), tools):
        yield piece


def recall(messages: list[ModelMessage], users: list[str]) -> str:
    """What the model was shown of the turns before."""
    parts = [p for m in messages for p in m.parts]
    results = {p.tool_call_id: p.content for p in parts if isinstance(p, ToolReturnPart | RetryPromptPart)}
    calls = [[p.tool_name, p.args_as_dict(), results.get(p.tool_call_id)] for p in parts if isinstance(p, ToolCallPart)]
    said = "".join(p.content for p in parts if isinstance(p, TextPart))
    return json.dumps({"users": users, "agent": said, "calls": calls})


async def echo(said: str, _: str, turn: int, __: set[str]) -> Said:
    yield f"Turn {turn}: "
    yield f"you said {said}"


async def weather(_: str, __: str, turn: int, ___: set[str]) -> Said:
    yield "Looking. "
    yield {0: DeltaToolCall("get_weather", '{"city":', tool_call_id=f"call_w{turn}")}
    yield {0: DeltaToolCall(None, '"Oslo"}')}


async def delete(_: str, key: str, turn: int, __: set[str]) -> Said:
    yield {0: deletion(key, turn)}


async def deletes(_: str, key: str, turn: int, __: set[str]) -> Said:
    yield {0: deletion(key, turn), 1: deletion(key, turn, "-2")}


def deletion(key: str, turn: int, nth: str = "") -> DeltaToolCall:
    return DeltaToolCall("delete_file", f'{{"path":"{key}{nth}"}}', tool_call_id=f"call_d{turn}{nth}")


async def ask(_: str, __: str, turn: int, tools: set[str]) -> Said:
    if "ask_user" in tools:
        yield {0: asking(turn)}
    else:
        yield "There is no tool ask_user."


async def asks(_: str, __: str, turn: int, ___: set[str]) -> Said:
    yield "Asking. "
    yield {0: asking(turn), 1: asking(turn, "-2")}


async def both(_: str, __: str, turn: int, ___: set[str]) -> Said:
    yield {0: DeltaToolCall("get_weather", '{"city":"Oslo"}', tool_call_id=f"call_w{turn}"), 1: asking(turn)}


def asking(turn: int, nth: str = "") -> DeltaToolCall:
    return DeltaToolCall("ask_user", f'{{"question":"Which city{nth}?"}}', tool_call_id=f"call_a{turn}{nth}")


async def slow(_: str, key: str, __: int, ___: set[str]) -> Said:
    """Ten seconds of words. Whoever does not want them all is noted."""
    whole = False
    try:
        for n in range(100):
            yield f"w{n} "
            await asyncio.sleep(0.1)
        whole = True
    finally:
        if not whole:
            notes["gone"].append(key)


async def boom(_: str, __: str, ___: int, ____: set[str]) -> Said:
    yield "Some words"
    await asyncio.sleep(0.01)
    raise RuntimeError("the model fell over")


scripts = {
    "weather": weather, "delete": delete, "deletes": deletes, "ask": ask, "asks": asks, "both": both, "slow": slow, "boom": boom,
}
agent = Agent(FunctionModel(stream_function=script), output_type=[str, DeferredToolRequests])
known = ExternalToolset[Any]([ToolDefinition(
    name="ask_user", description="Asks the user.",
    parameters_json_schema={"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]},
)])


@agent.tool_plain
def get_weather(city: str) -> str:
    """The weather in a city."""
    return f"9 degrees in {city}"


@agent.tool_plain(requires_approval=True)
def delete_file(path: str) -> str:
    """Deletes a file."""
    notes["deleted"].append(path)
    return f"deleted {path}"


async def agui(request: Request) -> Response:
    """A client that brings tools runs these; for others there is one that the server knows."""
    brought = re.search(rb'"tools"\s*:\s*\[\s*\{', await request.body())
    return await AGUIAdapter.dispatch_request(request, agent=agent, toolsets=None if brought else [known])


async def aisdk(request: Request) -> Response:
    return await VercelAIAdapter.dispatch_request(request, agent=agent, sdk_version=7, toolsets=[known])


async def noted(_: Request) -> Response:
    return JSONResponse(notes)


app = Starlette(routes=[
    Route("/agui", agui, methods=["POST"]), Route("/aisdk", aisdk, methods=["POST"]), Route("/notes", noted),
])

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
