"""google-adk 2.13.0: the client of ADK's API server, and its Event."""

import ssl
import warnings

import httpx
from client import Client

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what the package says of its own parts when it is loaded
    from google.adk.cli.api_server import RunAgentRequest
    from google.adk.cli.conformance.adk_web_server_client import AdkWebServerClient
    from google.genai import types

TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
ASKS = ("adk_request_confirmation", "adk_request_credential", "adk_request_input")


async def read(url):
    u = {"turns": [], "calls": [], "results": [], "asks": [], "agents": [], "usage": [], "end": "success", "message": ""}
    fragments = {}
    said = types.Content(role="user", parts=[types.Part(text="conformance")])
    request = RunAgentRequest(app_name="a", user_id="u", session_id="s", new_message=said, streaming=True)
    async with AdkWebServerClient(base_url=url) as client:
        client._client = httpx.AsyncClient(base_url=url, verify=TLS)  # one of its own reads all certificates each time
        try:
            async for event in client.run_agent(request):
                note(u, fragments, event)
        except RuntimeError as err:  # a record with the member error
            u |= {"end": "error", "message": str(err)}
    u["unfinished"] = [t for t in fragments.values() if t["answer"] or t["reasoning"]]
    return u


def note(u, fragments, event):
    if event.branch and event.branch not in [a["branch"] for a in u["agents"]]:
        u["agents"].append({"branch": event.branch, "name": event.author})
    texts = {"answer": "", "reasoning": ""}
    for part in (event.content and event.content.parts) or []:
        if part.text is not None:
            texts["reasoning" if part.thought else "answer"] += part.text
    if event.partial:
        sofar = fragments.setdefault(event.id, {"answer": "", "reasoning": ""})
        for k, text in texts.items():
            sofar[k] += text
        return
    sofar = fragments.pop(event.id, None)
    if any(texts.values()):
        u["turns"].append({"author": event.author, **texts, "fragments": sofar})
    if event.usage_metadata:
        m = event.usage_metadata
        u["usage"].append({"in": m.prompt_token_count, "out": add(m.candidates_token_count, m.thoughts_token_count)})
    if event.error_code and not u["message"]:
        u["message"] = event.error_message or ""
    parts(u, event)


def parts(u, event):
    long = event.long_running_tool_ids or set()
    for call in event.get_function_calls():
        if call.name in ASKS:
            u["asks"].append({"id": call.id, "name": call.name, "open": True})
        else:
            u["calls"].append({"id": call.id, "name": call.name, "args": call.args, "client": call.id in long})
    for result in event.get_function_responses():
        for ask in u["asks"]:
            if ask["id"] == result.id:
                ask["open"] = False
        waits = result.id in event.actions.requested_tool_confirmations
        if result.name not in ASKS and not waits:
            u["results"].append({"id": result.id, "response": result.response})
    for part in (event.content and event.content.parts) or []:
        if part.executable_code:
            u["calls"].append({"code": part.executable_code.code})
        if part.code_execution_result:
            u["results"].append({"output": part.code_execution_result.output})


def add(a, b):
    return None if a is None and b is None else (a or 0) + (b or 0)


client = Client("google-adk 2.13.0", "adk", "adk", read)
