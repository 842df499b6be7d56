"""An agent of LangChain with a scripted model, behind the development server of LangGraph.

    pip install langgraph-cli[inmem]==0.4.40 langgraph-api==0.16.7 langchain==1.4.7 langchain-core==1.7.2 langgraph==1.2.22
    echo '{"dependencies":["."],"graphs":{"agent":"./langgraph_agent.py:agent","asking":"./langgraph_agent.py:asking",
        "failing":"./langgraph_agent.py:failing"}}' > langgraph.json
    langgraph dev --no-browser --no-reload --port PORT

POST /threads and then /threads/ID/runs/stream with assistant_id, input or command, and stream_mode answer a run.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.tools import tool


def call(index: int, args: str, name: str | None = None, id: str | None = None) -> dict[str, Any]:
    return {"content": "", "tool_call_chunks": [{"type": "tool_call_chunk", "index": index, "name": name, "id": id, "args": args}]}


# Two model turns: it thinks and calls two tools at once, then tells what they found.
FIRST = [
    {"content": [{"type": "thinking", "thinking": "Two cities, ", "index": 0}]},
    {"content": [{"type": "thinking", "thinking": "two calls.", "index": 0}]},
    {"content": [{"type": "text", "text": "I will look.", "index": 1}]},
    call(2, "", "get_weather", "call_oslo"),
    call(2, '{"city":'),
    call(2, '"Oslo"}'),
    call(3, "", "get_weather", "call_rome"),
    call(3, '{"city":"Rome"}'),
]
SECOND = [
    {"content": "Oslo is "},
    {"content": "cold ☃, "},
    {"content": "Rome is warm.", "usage_metadata": {"input_tokens": 20, "output_tokens": 10, "total_tokens": 30}, "response_metadata": {"stop_reason": "end_turn"}},
]


class Scripted(BaseChatModel):
    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> "Scripted":
        return self

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        raise NotImplementedError("only streams are scripted")

    async def _astream(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        for fields in SECOND if isinstance(messages[-1], ToolMessage) else FIRST:
            await asyncio.sleep(0.002)
            chunk = ChatGenerationChunk(message=AIMessageChunk(**fields))
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


@tool
async def get_weather(city: str) -> str:
    """The weather in a city."""
    await asyncio.sleep(0.01 if city == "Rome" else 0.05)
    return f"{city}: {'-4' if city == 'Oslo' else '21'} degrees"


@tool("get_weather")
async def get_no_weather(city: str) -> str:
    """The weather in a city, from a service that is down."""
    raise ConnectionError("the service is down")


agent = create_agent(Scripted(), [get_weather])
asking = create_agent(Scripted(), [get_weather], middleware=[HumanInTheLoopMiddleware(interrupt_on={"get_weather": True})])
failing = create_agent(Scripted(), [get_no_weather])
