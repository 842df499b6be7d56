"""openai 3.54.0 for Python: the helper, which keeps a message of its own and hands on the chunks that it is made of."""

from client import Client
from openai import APIError, ContentFilterFinishReasonError, LengthFinishReasonError, OpenAI

REQUEST = {
    "model": "conformance",
    "messages": [{"role": "user", "content": "conformance"}],
    "stream_options": {"include_usage": True},
}
openai = OpenAI(api_key="conformance", base_url="http://127.0.0.1", max_retries=0)


def read(url):
    """Notes the error that a stream reports. Any other is one of the client, which has not understood the stream."""
    u = {"answers": "", "reasoning": "", "calls": [], "finish": "", "end": "none", "message": "", "code": "", "usage": None}
    try:
        u["kept"] = message(openai.with_options(base_url=url), u)
        u["end"] = "success"
    except (ContentFilterFinishReasonError, LengthFinishReasonError):
        u["end"] = "success"  # the helper's way to say that there is no whole message
    except APIError as err:
        if not isinstance(err.body, dict):
            raise
        u |= {"end": "error", "message": err.body["message"], "code": err.body["code"] or ""}
    return u


def message(api, u):
    with api.chat.completions.stream(**REQUEST) as stream:
        for event in stream:
            if event.type == "chunk":
                note(u, event.chunk)
        done = stream.get_final_completion()
    said = done.choices[0].message
    calls = [{"id": t.id, "name": t.function.name, "args": t.function.arguments} for t in said.tool_calls or []]
    return {"answers": said.content or "", "refusal": said.refusal or "", "calls": calls, "usage": counts(done.usage)}


def note(u, chunk):
    if chunk.usage:
        u["usage"] = counts(chunk.usage)
    for choice in chunk.choices:
        delta = choice.delta
        u["answers"] += (delta.content or "") + (delta.refusal or "")
        u["reasoning"] += getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None) or ""
        for t in delta.tool_calls or []:
            if t.index == len(u["calls"]):
                u["calls"].append({"id": t.id, "name": t.function.name, "args": ""})
            u["calls"][t.index]["args"] += t.function.arguments
        if choice.finish_reason and u["finish"]:
            raise ValueError("a second finish_reason")
        u["finish"] = choice.finish_reason or u["finish"]


def counts(usage):
    return usage and {"in": usage.prompt_tokens, "out": usage.completion_tokens, "total": usage.total_tokens}


client = Client("openai 3.54.0 for Python, chat", "openai-chat", "openai-chat", read)
