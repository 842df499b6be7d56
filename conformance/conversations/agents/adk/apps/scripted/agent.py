"""An agent of Google's Agent Development Kit with a scripted model."""

import asyncio
from collections.abc import AsyncGenerator

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.tools import FunctionTool, LongRunningFunctionTool
from google.genai import types
from script import History, delete_file, get_weather, notes, play


def answered(response: types.FunctionResponse) -> str:
    """What a tool has said: the framework wraps texts, and says in an error that a call was denied."""
    value = response.response or {}
    return str(value.get("result", value.get("error", value)))


def history(contents: list[types.Content]) -> History:
    parts = [(c.role, p) for c in contents for p in c.parts or []]
    results = [p.function_response for _, p in parts if p.function_response]  # the framework has taken the ids away
    newest = [p.function_response for p in contents[-1].parts or [] if p.function_response]
    calls = [p.function_call for _, p in parts if p.function_call]
    return History(
        users=[p.text for role, p in parts if role == "user" and p.text],
        agent=[p.text for role, p in parts if role == "model" and p.text],
        calls=[(str(c.name), c.args, result_of(c, results)) for c in calls],
        results=[(str(r.name), answered(r)) for r in newest],
    )


def result_of(call: types.FunctionCall, results: list[types.FunctionResponse]) -> str | None:
    """The first result of that tool which no call before has."""
    found = next((r for r in results if r.name == call.name), None)
    if found:
        results.remove(found)
    return answered(found) if found else None


def content(*parts: types.Part) -> types.Content:
    return types.Content(role="model", parts=list(parts))


class Scripted(BaseLlm):
    model: str = "scripted"

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        scene, whole = play(history(llm_request.contents)), False
        try:
            for word in scene.words if stream else []:
                yield LlmResponse(content=content(types.Part(text=word)), partial=True)
                await asyncio.sleep(scene.delay)
            whole = True
        finally:
            if not whole:
                notes["gone"].append(scene.key)
        if scene.fails:
            raise RuntimeError(scene.fails)
        text = [types.Part(text="".join(scene.words))] if scene.words else []
        calls = [types.Part(function_call=types.FunctionCall(name=c["name"], args=c["args"])) for c in scene.calls]
        yield LlmResponse(content=content(*text, *calls))


def ask_user(question: str) -> None:
    """Asks the user, who answers later."""


root_agent = LlmAgent(
    name="scripted", model=Scripted(),
    tools=[FunctionTool(get_weather), FunctionTool(delete_file, require_confirmation=True), LongRunningFunctionTool(ask_user)],
)
