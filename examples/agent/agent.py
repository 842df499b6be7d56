"""A Pydantic AI agent behind two of the framework's own adapters: AG-UI at /agui, the AI SDK's UI messages at /aisdk.

    uvicorn agent:app --port 9000

Its model is scripted (script.py), so that no key is needed. MODEL names a real one, such as MODEL=openai:gpt-5; that needs the key
in the environment, and the package of the provider: pip install "pydantic-ai-slim[openai]".
"""

import os

from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from pydantic_ai.ui.vercel_ai import VercelAIAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from script import script

agent = Agent(
    os.environ.get("MODEL") or FunctionModel(stream_function=script),
    instructions="You answer in a few sentences.",
    output_type=[str, DeferredToolRequests],  # a run ends with questions when a tool needs an approval
)


@agent.tool_plain
def get_weather(city: str) -> dict[str, str | int]:
    """The weather in a city."""
    return {"city": city, "celsius": 9, "sky": "light rain"}


@agent.tool_plain(requires_approval=True)
def delete_file(path: str) -> str:
    """Deletes a file. This one only says so."""
    print(f"agent: deleted {path}", flush=True)
    return f"{path} is deleted."


async def agui(request: Request) -> Response:
    return await AGUIAdapter.dispatch_request(request, agent=agent)


async def aisdk(request: Request) -> Response:
    return await VercelAIAdapter.dispatch_request(request, agent=agent, sdk_version=7)


app = Starlette(routes=[Route("/agui", agui, methods=["POST"]), Route("/aisdk", aisdk, methods=["POST"])])
