"""The server that somebody writes in Python instead of a proxy: it reads a model's API, OpenAI Chat, and yields AG-UI
events, each a checked model of the protocol's own package, encoded by its own encoder."""

import json
import os

import httpx
import uvicorn
from ag_ui.core import EventType, RunAgentInput, RunFinishedEvent, RunStartedEvent
from ag_ui.core import TextMessageContentEvent, TextMessageEndEvent, TextMessageStartEvent
from ag_ui.encoder import EventEncoder
from starlette.applications import Starlette
from starlette.responses import StreamingResponse
from starlette.routing import Route

UPSTREAM = os.environ["UPSTREAM"] + "/v1/chat/completions"
client = httpx.AsyncClient(timeout=600, limits=httpx.Limits(max_connections=None))


async def chunks(run):
    text = [{"role": m.role, "content": m.content} for m in run.messages]
    body = {"model": "bench", "stream": True, "messages": text}
    async with client.stream("POST", UPSTREAM, json=body) as response:
        response.raise_for_status()
        async for line in response.aiter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                yield json.loads(line[6:])


async def events(run):
    yield RunStartedEvent(type=EventType.RUN_STARTED, thread_id=run.thread_id, run_id=run.run_id)
    message = None
    async for chunk in chunks(run):
        for choice in chunk["choices"]:
            text = choice["delta"].get("content")
            if not text:
                continue
            if message is None:
                message = chunk["id"]
                yield TextMessageStartEvent(type=EventType.TEXT_MESSAGE_START, message_id=message, role="assistant")
            yield TextMessageContentEvent(type=EventType.TEXT_MESSAGE_CONTENT, message_id=message, delta=text)
    if message is not None:
        yield TextMessageEndEvent(type=EventType.TEXT_MESSAGE_END, message_id=message)
    yield RunFinishedEvent(type=EventType.RUN_FINISHED, thread_id=run.thread_id, run_id=run.run_id)


async def answer(request):
    run = RunAgentInput.model_validate_json(await request.body())
    encoder = EventEncoder()

    async def encoded():
        async for event in events(run):
            yield encoder.encode(event)

    return StreamingResponse(encoded(), media_type=encoder.get_content_type())


app = Starlette(routes=[Route("/agent", answer, methods=["POST"])])

if __name__ == "__main__":
    uvicorn.run("agui:app", host="127.0.0.1", port=int(os.environ["PORT"]), workers=2, timeout_worker_healthcheck=60, access_log=False, log_level="warning")
