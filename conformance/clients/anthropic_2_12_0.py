"""anthropic 2.12.0 for Python: the helper, and that of the beta API."""

from anthropic import Anthropic, APIError
from client import Client

REQUEST = {"model": "conformance", "max_tokens": 1024, "messages": [{"role": "user", "content": "conformance"}]}
anthropic = Anthropic(api_key="conformance", base_url="http://127.0.0.1", max_retries=0)


def read(url):
    api = anthropic.with_options(base_url=url)
    return {"readings": {"helper": helped(api.messages), "beta": helped(api.beta.messages)}}


def helped(messages):
    u = {"end": "none", "message": "", "blocks": []}
    message = None
    try:
        with messages.stream(**REQUEST) as stream:
            for _ in stream:
                message = stream.current_message_snapshot
            message = stream.get_final_message()
        if message.stop_reason is not None:
            u["end"] = "success"
    except APIError as err:
        u["end"] = "error"
        u["message"] = err.body["error"]["message"]
    except ValueError as err:  # arguments that are no JSON
        u |= {"end": "error", "rejected": str(err)}
    if message is not None:
        u["reason"] = message.stop_reason
        u["usage"] = counts(message.usage)
        u["blocks"] = [b for b in (block(b, u["end"] == "success") for b in message.content) if b]
    return u


def counts(usage):
    cached = (usage.cache_creation_input_tokens or 0) + (usage.cache_read_input_tokens or 0)
    return {"in": usage.input_tokens + cached, "out": usage.output_tokens}


def block(b, whole):
    """Returns what a block says in the words of lib/anthropic.mjs. Arguments may be cut in a message that did not end well."""
    if b.type == "text":
        return {"text": b.text}
    if b.type == "thinking":
        return {"reasoning": b.thinking}
    if b.type in ("tool_use", "server_tool_use", "mcp_tool_use"):
        call = {"call": b.id, "name": b.name, "client": b.type == "tool_use"}
        return call | ({"input": b.input} if whole else {})
    fields = b.model_dump(mode="json", exclude_unset=True)
    if fields.get("tool_use_id"):
        return {"result": fields["tool_use_id"], "content": fields["content"], "failed": fields.get("is_error")}
    return None


client = Client("anthropic 2.12.0 for Python", "anthropic", "anthropic", read)
