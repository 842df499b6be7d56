"""Lets the Python libraries of the agents and of the model APIs judge the requests that Sabir writes.

    python validate.py <requests.jsonl>

A judge raises on what its server would refuse: also on members that it does not know, as model APIs do. Each is shown a spoiled copy
of every request as well: one that takes those is no judge.
"""

import copy
import gc
import json
import sys
from collections.abc import Iterator

from a2a.compat.v0_3 import a2a_v0_3_pb2
from a2a.compat.v0_3 import types as a2a_v0_3
from a2a.types import SendMessageRequest
from a2a.utils.proto_utils import validate_proto_required_fields
from ag_ui.core import RunAgentInput
from anthropic.types import message_create_params
from google.adk.cli.api_server import RunAgentRequest
from google.genai import types as gemini
from google.genai._gaos.types.interactions import (
    CreateModelInteractionParam,
    FunctionCallStepParam,
    FunctionResultStepResultParam,
    MCPServerToolResultStepResultParam,
)
from google.protobuf.json_format import ParseDict
from openai.types.chat import completion_create_params
from openai.types.responses import response_create_params
from pydantic import ConfigDict, TypeAdapter
from pydantic_ai.ui.vercel_ai.request_types import RequestData
from typing_extensions import NotRequired, is_typeddict


def strict(params, of_any_form=()):
    """Judges by the typed dictionaries of an SDK, which describe what the API takes."""
    for cls in gc.get_objects():
        if isinstance(cls, type) and is_typeddict(cls):
            extra = "allow" if cls in of_any_form else "forbid"
            cls.__pydantic_config__ = ConfigDict(extra=extra, arbitrary_types_allowed=True)
    adapter = TypeAdapter(params)
    return lambda body: exhaust(adapter.validate_python(body))


def exhaust(value):
    """Reads all of a value: pydantic looks at what is declared as iterable only when it is read."""
    if isinstance(value, dict):
        for member in value.values():
            exhaust(member)
    elif isinstance(value, (list, tuple, Iterator)) or type(value).__name__ == "ValidatorIterator":
        for element in value:
            exhaust(element)


class Messages(message_create_params.MessageCreateParamsStreaming, total=False):
    """Anthropic's newest types lack settings that its models of before still take."""

    temperature: float
    top_k: int
    top_p: float


# The REST body of Gemini, member by member: the SDK has no type for all of it.
GEMINI = {
    "contents": TypeAdapter(list[gemini.Content]),
    "systemInstruction": TypeAdapter(gemini.Content),
    "tools": TypeAdapter(list[gemini.Tool]),
    "toolConfig": TypeAdapter(gemini.ToolConfig),
    "generationConfig": TypeAdapter(gemini.GenerationConfig),
    "safetySettings": TypeAdapter(list[gemini.SafetySetting]),
    "cachedContent": TypeAdapter(str),
    "labels": TypeAdapter(dict[str, str]),
}


def generate_content(body):
    for name, value in body.items():
        GEMINI[name].validate_python(value)
    if not body.get("contents"):
        raise ValueError("no contents")


def interactions():
    """Judges by the types of the Interactions API. They lack the signature of a call, which the API sends and @ai-sdk/google sends back, and
    say of the object that a function returns that it has no members.
    """
    FunctionCallStepParam.__annotations__["signature"] = NotRequired[str]
    return strict(CreateModelInteractionParam, of_any_form=(FunctionResultStepResultParam, MCPServerToolResultStepResultParam))


def add_member(body):
    """Adds a member that no API has."""
    body["conversation_so_far"] = 1


def drop_messages(body):
    del body["messages"]


def run_sse(body):
    """Judges as adk's server does, which takes members of the body that it does not know, but none inside of a message."""
    if not RunAgentRequest.model_validate(body).new_message.parts:
        raise ValueError("no parts")


def spoil_part(body):
    body["newMessage"]["parts"][0]["said"] = "x"


# How a2a-sdk names the methods of each version, by the class of what they take.
A2A_1 = {"SendMessage": SendMessageRequest, "SendStreamingMessage": SendMessageRequest}
A2A_03 = {"message/send": a2a_v0_3.SendMessageRequest, "message/stream": a2a_v0_3.SendStreamingMessageRequest}


def message_1(params):
    """Judges as a2a-sdk's server does, and refuses members that it would overlook."""
    request = ParseDict(params, SendMessageRequest())
    validate_proto_required_fields(request)


def call_1(body):
    if set(body) != {"jsonrpc", "id", "method", "params"} or body["jsonrpc"] != "2.0" or body["method"] not in A2A_1:
        raise ValueError("no call of version 1.0")
    message_1(body["params"])


def call_03(body):
    """The types of 0.3 overlook members that they do not know, so what they understand must be all that is there."""
    understood = A2A_03[body["method"]].model_validate(body).model_dump(mode="json", by_alias=True, exclude_unset=True)
    if understood != body:
        raise ValueError(f"understands {understood}")
    if not body["params"]["message"]["parts"]:
        raise ValueError("no parts")


def message_03(body):
    request = ParseDict(body, a2a_v0_3_pb2.SendMessageRequest()).request
    if request.role != a2a_v0_3_pb2.ROLE_USER or not request.message_id or not request.content:
        raise ValueError("no message of the user's")


def spoil_call(body):
    body["params"]["message"]["said"] = "x"


def spoil_message(body):
    del body["message"]["messageId"]


JUDGES = [
    ("a2a-sdk, version 1.0", "a2a 1.0 jsonrpc", call_1, spoil_call),
    ("a2a-sdk, version 1.0", "a2a 1.0 rest", message_1, spoil_message),
    ("a2a-sdk, version 0.3", "a2a 0.3 jsonrpc", call_03, spoil_call),
    ("a2a-sdk, version 0.3", "a2a 0.3 rest", message_03, spoil_message),
    ("openai, chat completions", "openai-chat", strict(completion_create_params.CompletionCreateParamsStreaming), add_member),
    ("openai, responses", "openai-responses", strict(response_create_params.ResponseCreateParamsStreaming), add_member),
    ("anthropic, messages", "anthropic", strict(Messages), add_member),
    ("google-genai, generateContent", "gemini", generate_content, add_member),
    ("google-genai, interactions", "gemini-interactions", interactions(), add_member),
    ("google-adk, run_sse", "adk", run_sse, spoil_part),
    ("ag-ui-protocol", "agui", RunAgentInput.model_validate, drop_messages),
    ("pydantic-ai, AI SDK", "aisdk", TypeAdapter(RequestData).validate_python, drop_messages),
]


def refusal(judge, body):
    """What a judge says against a body, None if it takes it."""
    try:
        judge(body)
    except Exception as err:  # whatever it is, the server would not take the body
        return f"{type(err).__name__}: {err}".replace("\n", " ")
    return None


def main():
    with open(sys.argv[1], encoding="utf-8") as lines:
        requests = [r for r in map(json.loads, lines) if "refused" not in r]
    failures = 0
    for name, to, judge, spoil in JUDGES:
        mine = [r for r in requests if to == " ".join(filter(None, (r["to"], r.get("form"))))]
        refused = [] if mine else ["no requests"]
        for r in mine:
            if fault := refusal(judge, copy.deepcopy(r["body"])):
                refused.append(f"{r['from']} {r['name']}: {fault}")
            spoiled = copy.deepcopy(r["body"])
            spoil(spoiled)
            if not refusal(judge, spoiled):
                refused.append(f"{r['from']} {r['name']}: a spoiled copy is taken")
        failures += len(refused)
        print(f"{'FAIL' if refused else 'ok  '} {name} reads requests for {to}: {max(0, len(mine) - len(refused))} of {len(mine)}")
        for line in refused[:20]:
            print("     " + line[:600])
    sys.exit(1 if failures else 0)


main()
