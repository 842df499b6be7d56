"""What stands in for a model: it knows a few words, and says how many questions it was shown."""

import asyncio
from collections.abc import AsyncIterator

from pydantic_ai.messages import ModelMessage, RetryPromptPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall

Said = AsyncIterator[str | dict[int, DeltaToolCall]]
POEM = "A client asked, an agent spoke, and neither knew the other's word. "


async def script(messages: list[ModelMessage], _: AgentInfo) -> Said:
    questions = [text(p) for m in messages for p in m.parts if isinstance(p, UserPromptPart)]
    results = [p for p in messages[-1].parts if isinstance(p, ToolReturnPart | RetryPromptPart)]
    asked = questions[-1]
    *_, last = asked.rstrip("?.!").split()
    if results:
        said = words(" ".join(about(p) for p in results))
    elif "weather" in asked.lower():
        said = call(f"weather{len(questions)}", "get_weather", "city", last, "Let me look.")
    elif "delete" in asked.lower():
        said = call(f"delete{len(questions)}", "delete_file", "path", last, "I have to ask before I do that.")
    elif "poem" in asked.lower():
        said = whole(words(POEM * 40))
    else:
        said = words(f"This is question {len(questions)} of our conversation: {asked}")
    async for piece in said:
        yield piece


def text(part: UserPromptPart) -> str:
    return part.content if isinstance(part.content, str) else "".join(c for c in part.content if isinstance(c, str))


def about(result: ToolReturnPart | RetryPromptPart) -> str:
    match result.content:
        case {"city": city, "celsius": celsius, "sky": sky}:
            return f"It is {celsius} °C in {city}, with {sky}."
        case content:
            return f"The tool says: {content}"


async def words(said: str) -> Said:
    for word in said.split():
        yield word + " "
        await asyncio.sleep(0.04)  # as a model would take its time


async def call(id: str, tool: str, argument: str, value: str, first: str) -> Said:
    async for word in words(first):
        yield word
    yield {0: DeltaToolCall(tool, f'{{"{argument}":', tool_call_id=id)}
    yield {0: DeltaToolCall(None, f'"{value}"}}')}


async def whole(said: Said) -> Said:
    """Says so if the client leaves before the end. That is how to see that a stop reaches the model."""
    complete = False
    try:
        async for word in said:
            yield word
        complete = True
    finally:
        if not complete:
            print("agent: the client has gone, the model stops", flush=True)
