"""openai 3.54.0 for Python: the helper, and the bare events."""

from client import Client
from openai import APIError, OpenAI

REQUEST = {"model": "conformance", "input": "conformance"}
ENDS = {"response.completed": "success", "response.incomplete": "success", "response.failed": "error"}
openai = OpenAI(api_key="conformance", base_url="http://127.0.0.1", max_retries=0)


def read(url):
    responses = openai.with_options(base_url=url).responses
    return {"readings": {"helper": reading(lambda: helped(responses)), "bare": reading(lambda: bare(responses))}}


def helped(responses):
    """The helper gives a final response only of a stream that was completed; the others are in its events."""
    with responses.stream(**REQUEST) as stream:
        for event in stream:
            yield event
            if event.type == "response.completed":
                stream.get_final_response()


def bare(responses):
    yield from responses.create(**REQUEST, stream=True)


def reading(events):
    """Follows a response. An error that the stream reports is an APIError; any other is one of the client."""
    u = {"answers": [], "reasoning": [], "calls": [], "approvals": 0, "end": "none", "message": "", "lint": []}
    try:
        items = set()
        for event in events():
            lint(u, event, items)
            if event.type in ENDS:
                understand(u, event.response, ENDS[event.type])
            elif event.type == "error":
                u |= {"end": "error", "message": event.message, "code": event.code}
    except APIError as err:
        if not isinstance(err.body, dict):
            raise
        u |= {"end": "error", "message": err.body["message"], "code": err.body["code"]}
    return u


def lint(u, event, items):
    """Checks what stricter clients want: types that are known, and items that were announced."""
    if not event.type.startswith("response.") and event.type not in ("keepalive", "error"):
        u["lint"].append(f"an event of type {event.type}")
    if event.type == "response.output_item.added":
        items.add(event.item.id)
    elif getattr(event, "item_id", None) not in {None, *items}:
        u["lint"].append(f"{event.type} of {event.item_id}, which was not announced")


def understand(u, response, end):
    u["end"] = end
    if response.error:
        u |= {"message": response.error.message, "code": response.error.code}
    if response.usage:
        u["usage"] = {"in": response.usage.input_tokens, "out": response.usage.output_tokens, "total": response.usage.total_tokens}
    for item in response.output:
        note(u, item)


def note(u, item):
    """Notes an item in the words of lib/openairesponses.mjs."""
    match item.type:
        case "message":
            u["answers"].append("".join(c.text if c.type == "output_text" else c.refusal for c in item.content))
        case "reasoning":
            u["reasoning"].append("".join(s.text for s in item.summary))
        case "function_call":
            u["calls"].append(call(item, item.call_id) | {"client": True})
        case "mcp_call":
            more = {"failed": item.status == "failed", "error": words(item.error)}
            if item.output is not None:
                more["result"] = item.output
            u["calls"].append(call(item, item.id) | more)
        case "mcp_approval_request":
            u["approvals"] += 1
        case "image_generation_call":
            pass
        case other:
            u["lint"].append(f"an item of type {other}")


def call(item, id):
    return {"id": id, "name": item.name, "args": item.arguments, "cut": item.status == "incomplete"}


def words(error):
    """Finds the words of an error, which is an object or a model of one."""
    if error is None:
        return None
    content = error["content"] if isinstance(error, dict) else error.content
    first = content[0]
    return first["text"] if isinstance(first, dict) else first.text


client = Client("openai 3.54.0 for Python, Responses", "openai-responses", "openairesponses", read)
