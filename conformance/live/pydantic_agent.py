"""A Pydantic AI agent with a scripted model, behind the framework's own AG-UI and AI SDK adapters.

    python pydantic_agent.py PORT

POST /agui and /aisdk each answer a run. The request that opens it is a fixed one: what is tried here is the stream.
"""

import asyncio
import sys
from collections.abc import AsyncIterator

import uvicorn
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from pydantic_ai.ui.vercel_ai import VercelAIAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

AGUI_REQUEST = (
    b'{"threadId":"t1","runId":"r1","state":{},"tools":[],"context":[],"forwardedProps":{},'
    b'"messages":[{"id":"u1","role":"user","content":"What is the weather in Oslo and in Rome?"}]}'
)
AISDK_REQUEST = (
    b'{"trigger":"submit-message","id":"c1","messages":[{"id":"u1","role":"user",'
    b'"parts":[{"type":"text","text":"What is the weather in Oslo and in Rome?"}]}]}'
)


async def script(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[str | dict[int, DeltaToolCall | DeltaThinkingPart]]:
    """What the model says: it thinks, calls two tools at once, and tells what they found."""
    last = messages[-1]
    if isinstance(last, ModelRequest) and any(isinstance(p, ToolReturnPart) for p in last.parts):
        for word in ("Oslo is ", "cold ☃, ", "Rome is warm."):
            yield word
            await asyncio.sleep(0.01)
        return
    yield {0: DeltaThinkingPart(content="Two cities, ")}
    yield {0: DeltaThinkingPart(content="two calls.")}
    yield "I will look."
    yield {1: DeltaToolCall(name="get_weather", json_args='{"city":', tool_call_id="call_oslo")}
    yield {1: DeltaToolCall(json_args='"Oslo"}')}
    yield {2: DeltaToolCall(name="get_weather", json_args='{"city":"Rome"}', tool_call_id="call_rome")}


agent = Agent(FunctionModel(stream_function=script))


@agent.tool_plain
async def get_weather(city: str) -> str:
    """The weather in a city."""
    await asyncio.sleep(0.01 if city == "Rome" else 0.02)
    return f"{city}: {'-4' if city == 'Oslo' else '21'} degrees"


async def agui(_: Request) -> Response:
    adapter = AGUIAdapter(agent=agent, run_input=AGUIAdapter.build_run_input(AGUI_REQUEST), accept="text/event-stream")
    return adapter.streaming_response(adapter.run_stream())


async def aisdk(_: Request) -> Response:
    adapter = VercelAIAdapter(agent=agent, run_input=VercelAIAdapter.build_run_input(AISDK_REQUEST))
    return adapter.streaming_response(adapter.run_stream())


app = Starlette(routes=[Route("/agui/{rest:path}", agui, methods=["POST", "GET"]), Route("/aisdk/{rest:path}", aisdk, methods=["POST", "GET"])])

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
