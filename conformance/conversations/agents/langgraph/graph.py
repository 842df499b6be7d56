"""A LangGraph agent with a scripted model, for the development server. It asks with LangChain's own middleware, and ends where the client
has to run a tool.

    langgraph dev --host 127.0.0.1 --port PORT --no-browser --no-reload

GET /notes says whose answers were given up, and what was deleted.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

sys.path.insert(0, str(Path(__file__).parent.parent))
from script import History, delete_file, get_weather, notes, play  # noqa: E402


def history(messages: list[BaseMessage]) -> History:
    results = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    calls = [c for m in messages if isinstance(m, AIMessage) for c in m.tool_calls]
    newest = []
    for m in reversed(messages):
        if not isinstance(m, ToolMessage):
            break
        newest.insert(0, (str(m.name), m.text))
    return History(
        users=[m.text for m in messages if isinstance(m, HumanMessage)],
        agent=[m.text for m in messages if isinstance(m, AIMessage)],
        calls=[(c["name"], c["args"], results[c["id"]].text if c["id"] in results else None) for c in calls],
        results=newest,
    )


class Scripted(BaseChatModel):
    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        raise NotImplementedError("only streams are scripted")

    async def _astream(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        scene, whole = play(history(messages)), False
        try:
            for word in scene.words:
                yield ChatGenerationChunk(message=AIMessageChunk(content=word))
                await asyncio.sleep(scene.delay)
            whole = True
        finally:
            if not whole:
                notes["gone"].append(scene.key)
        if scene.fails:
            raise RuntimeError(scene.fails)
        for index, call in enumerate(scene.calls):
            args = json.dumps(call["args"])
            for name, id, piece in ((call["name"], call["id"], args[:6]), (None, None, args[6:])):
                chunk = {"type": "tool_call_chunk", "index": index, "name": name, "id": id, "args": piece}
                yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[chunk]))


model = Scripted()
review = HumanInTheLoopMiddleware(interrupt_on={"delete_file": {"allowed_decisions": ["approve", "reject"]}})


def choose_colour(question: str, options: list[str]) -> str:
    """Asks the user. The answer is a text, or stands in a form."""
    answer = interrupt({"question": question, "options": options})
    return str(answer["answer"] if isinstance(answer, dict) else answer)


own = {"get_weather": get_weather, "delete_file": delete_file, "choose_colour": choose_colour}


async def agent(state: MessagesState) -> dict[str, Any]:
    return {"messages": [await model.ainvoke(state["messages"])]}


def reviewed(state: MessagesState) -> dict[str, Any] | None:
    return review.after_model(state, None)


def unanswered(state: MessagesState) -> list[dict[str, Any]]:
    """The calls of the last answer that have no result."""
    at = max(i for i, m in enumerate(state["messages"]) if isinstance(m, AIMessage))
    answered = {m.tool_call_id for m in state["messages"][at:] if isinstance(m, ToolMessage)}
    return [c for c in state["messages"][at].tool_calls if c["id"] not in answered]


def tools(state: MessagesState) -> dict[str, Any]:
    calls = [c for c in unanswered(state) if c["name"] in own]
    return {"messages": [ToolMessage(own[c["name"]](**c["args"]), name=c["name"], tool_call_id=c["id"]) for c in calls]}


def after_tools(state: MessagesState) -> str:
    """The client runs the others. An answer without calls is the last."""
    last = state["messages"][-1]
    return END if unanswered(state) or isinstance(last, AIMessage) else "agent"


builder = StateGraph(MessagesState)
builder.add_node("agent", agent)
builder.add_node("review", reviewed)
builder.add_node("tools", tools)
builder.add_edge(START, "agent")
builder.add_edge("agent", "review")
builder.add_edge("review", "tools")
builder.add_conditional_edges("tools", after_tools, ["agent", END])
graph = builder.compile()


async def noted(_: Request) -> Response:
    return JSONResponse(notes)


app = Starlette(routes=[Route("/notes", noted)])
