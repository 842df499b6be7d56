# A Pydantic AI agent behind AG-UI, the framework's own server. Its model is made up, so that no key is needed.
#
#   pip install "pydantic-ai-slim[ag-ui]" uvicorn openai
#   uvicorn agent:app --port 9000
from pydantic_ai import Agent
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.routing import Route


async def model(messages, _):
    asked = [part.content for m in messages for part in m.parts if part.part_kind == "user-prompt"]
    for word in f"That is question {len(asked)} of this conversation: {asked[-1]}".split(" "):
        yield word + " "


agent = Agent(FunctionModel(stream_function=model))


async def run(request):
    return await AGUIAdapter.dispatch_request(request, agent=agent)


app = Starlette(routes=[Route("/", run, methods=["POST"])])
