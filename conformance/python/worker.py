"""Reads all cases with one Python client, in a process of its own: what the client prints belongs to the case at hand.

    python worker.py <client file> <folder with a file of cases for each dialect> <url template>

The template is that of lib/worker.mjs. Prints one JSON object a result: what the client understood, and its complaints.
run.mjs judges it with the same lib/<judge>.mjs that judges the JavaScript clients of the dialect.
"""

import asyncio
import gc
import importlib.util
import inspect
import json
import logging
import os
import re
import signal
import sys
import threading
import warnings
from pathlib import Path

DEADLINE = 20  # seconds for one case

complaints: list[str] = []


class Complain(logging.Handler):
    """Notes warnings and errors that the client logs."""

    def emit(self, record):
        complaints.append(f"{record.levelname.lower()}: {record.getMessage()}")


def watch():
    """Makes everything that the client says aside a complaint, and keeps its prints out of the results."""
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    logging.getLogger().addHandler(Complain(logging.WARNING))
    warnings.simplefilter("always")
    warnings.showwarning = lambda message, category, *_: complaints.append(f"warning: {category.__name__}: {message}")
    sys.unraisablehook = lambda e: complaints.append(f"unraisable: {e.exc_value!r}")
    threading.excepthook = lambda e: complaints.append(f"exception in a thread: {e.exc_value!r}")
    signal.signal(signal.SIGALRM, late)
    return results


def late(*_):
    raise TimeoutError(f"no end after {DEADLINE} s")


def load(file):
    sys.path.insert(0, str(Path(__file__).parent))
    spec = importlib.util.spec_from_file_location("client_under_test", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.client


def cases(file):
    """Yields the cases of a file, if there are any."""
    if not file.exists():
        return
    with open(file, encoding="utf-8") as lines:
        for n, line in enumerate(lines):
            yield {"n": n, **json.loads(line)}


def main():
    client_file, cases_dir, template = sys.argv[1:]
    results = watch()
    client = load(client_file)
    ways = ["whole", "bytes"] if "{how}" in template else ["as served"]
    for case in cases(Path(cases_dir) / f"{client.dialect}.jsonl"):
        source = case.get("from") or {}
        if not source and re.search(r"\{(from|route)\}", template):
            continue
        # Byte by byte they are slow, so most streams are read whole: one in five shows what cuts do to them.
        for how in ways[:1] if case.get("mutated") or case.get("control") or case["n"] % 5 else ways:
            values = {"n": case["n"], "how": how, "from": source.get("dialect"), "route": case.get("route")}
            url = re.sub(r"\{(\w+)\}", lambda m: str(values[m[1]]), template)
            result = {"client": client.name, "n": case["n"], "how": how, "judge": client.judge, **read(client, case, url)}
            print(json.dumps(result), file=results, flush=True)


def read(client, case, url):
    """Returns what the client understood of a case, or why it did not, and what it complained of."""
    complaints.clear()
    result = {}
    signal.setitimer(signal.ITIMER_REAL, DEADLINE)
    try:
        understood = client.read(url)
        result["understood"] = asyncio.run(understood) if inspect.iscoroutine(understood) else understood
    except Exception as err:  # whatever it is, the client has not taken the stream
        result["rejected"] = f"{type(err).__name__}: {err}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if complaints:
        gc.collect(0)
    tolerated = client.tolerated_when_mutated if case.get("mutated") else []
    plain = [re.sub(r"^\w+: ", "", c) for c in complaints]
    result["complaints"] = [c for c, p in zip(complaints, plain) if not any(re.search(t, p) for t in tolerated)]
    return result


main()
