"""boto3 1.44.8: the AWS SDK for Python."""

from contextlib import closing

import boto3
from botocore.config import Config
from botocore.exceptions import EventStreamError
from client import Client

bedrock = boto3.client(
    "bedrock-runtime",
    region_name="us-east-1",
    endpoint_url="http://127.0.0.1",
    aws_access_key_id="conformance",
    aws_secret_access_key="conformance",
    config=Config(retries={"max_attempts": 0}, max_pool_connections=10_000),  # those that are closed early stay in it
)
base = ""
REQUEST = {"modelId": "conformance", "messages": [{"role": "user", "content": [{"text": "conformance"}]}]}


def redirect(request, **_):
    request.url = request.url.replace("http://127.0.0.1", base, 1)


bedrock.meta.events.register("before-sign.bedrock-runtime.ConverseStream", redirect)


def read(url):
    global base
    base = url
    u = {"answers": "", "reasoning": "", "calls": [], "end": "none", "message": "", "usage": None}
    blocks = {}
    try:
        with closing(bedrock.converse_stream(**REQUEST)["stream"]) as stream:
            for event in stream:
                take(u, blocks, event)
    except EventStreamError as err:
        u |= {"end": "error", "message": err.response["Error"]["Message"]}
    return u


def take(u, blocks, event):
    ((name, e),) = event.items()
    if name == "contentBlockStart":
        tool = e["start"]["toolUse"]
        blocks[e["contentBlockIndex"]] = {"id": tool["toolUseId"], "name": tool["name"], "args": ""}
    elif name == "contentBlockDelta":
        delta = e["delta"]
        u["answers"] += delta.get("text", "")
        u["reasoning"] += delta.get("reasoningContent", {}).get("text", "")
        if "toolUse" in delta:
            blocks[e["contentBlockIndex"]]["args"] += delta["toolUse"]["input"]
    elif name == "contentBlockStop":
        call = blocks.pop(e["contentBlockIndex"], None)
        if call:
            u["calls"].append(call)
    elif name == "messageStop":
        u["end"], u["reason"] = "success", e["stopReason"]
    elif name == "metadata":
        c = e["usage"]
        cached = c.get("cacheReadInputTokens", 0) + c.get("cacheWriteInputTokens", 0)
        u["usage"] = {"in": c["inputTokens"] + cached, "out": c["outputTokens"]}


client = Client("boto3 1.44.8", "bedrock", "bedrock", read)
