"""The events of the OpenAI Agents SDK for Python as a server of one's own writes them: one record for each, and an end.

    pip install openai-agents==0.24.0
    node openai_model.mjs 8090 &
    python openai_agents_events.py http://127.0.0.1:8090 STORY responses|chat all|items|deltas [WORD…] > recording.sse

all writes every event; items leaves those of the model out; deltas leaves of these what is no delta of text. The words approve, grant and
deny make the tools ask, and answer (then the stream is the second one); fail makes them raise; history asks a second time.
"""

import asyncio
import dataclasses
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, HostedMCPTool, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI
from pydantic import BaseModel

set_tracing_disabled(True)
url, story, api, form, *words = sys.argv[1:]
client = AsyncOpenAI(base_url=f"{url}/{story}/v1", api_key="none", max_retries=0)
model = (OpenAIChatCompletionsModel if api == "chat" else OpenAIResponsesModel)(model="scripted-1", openai_client=client)


@function_tool(needs_approval=bool({"approve", "grant", "deny"} & set(words)))
async def get_weather(city: str) -> str:
    """The weather in a city."""
    if "fail" in words:
        raise ConnectionError("the service is down")
    await asyncio.sleep(0.01 if city == "Rome" else 0.05)
    return f"{city}: {'21' if city == 'Rome' else '-4'} degrees"


market = HostedMCPTool(tool_config={"type": "mcp", "server_label": "store", "server_url": "http://127.0.0.1:1", "require_approval": "always"})
refunds = Agent(name="Refunds", model=model)
agent = Agent(name="Weather", model=model, tools=[get_weather, *([market] if story == "mcp" else [])], handoffs=[refunds] if story == "handoff" else [])


def plain(value: Any) -> Any:
    if isinstance(value, Agent):
        return {"name": value.name}
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_unset=True)
    if dataclasses.is_dataclass(value):
        return {name: member for name, member in vars(value).items() if not name.startswith("_")}
    return str(value)


async def events(result: Any) -> AsyncIterator[str]:
    try:
        async for event in result.stream_events():
            if wanted(event):
                yield f"data: {json.dumps(event, default=plain)}\n\n"
        yield f"data: {json.dumps({'type': 'done', 'interruptions': result.interruptions}, default=plain)}\n\n"
    except Exception as error:
        yield f"data: {json.dumps({'type': 'error', 'error': {'type': type(error).__name__, 'message': str(error)}})}\n\n"


def wanted(event: Any) -> bool:
    if event.type != "raw_response_event" or form == "all":
        return True
    return form == "deltas" and event.data.type == "response.output_text.delta"


async def main() -> None:
    asked: Any = "What is the weather in Oslo and in Rome?"
    if "history" in words or {"grant", "deny"} & set(words):
        first = Runner.run_streamed(agent, asked)
        async for _ in first.stream_events():
            pass
        asked = [*first.to_input_list(), {"role": "user", "content": "And now?"}]
        if first.interruptions:
            asked = first.to_state()
            for question in first.interruptions:
                asked.approve(question) if "grant" in words else asked.reject(question)
    async for record in events(Runner.run_streamed(agent, asked, max_turns=2 if story == "loop" else 10)):
        sys.stdout.write(record)


asyncio.run(main())
