"""The openai package for Python with Responses that run in the background, as an application of responses.mjs's has it: it leaves each
stream that breaks, and asks for the events behind the last one that it has. Each line of its input is a run, or the response of somebody
else's that it comes to: [number, url, principal, key] or [number, url, principal, key, answer]. It prints a line for what happens.
"""

import json
import sys
import threading

from openai import APIError, OpenAI


class Reader:
    def __init__(self, number, url, principal):
        self.number = number
        self.client = OpenAI(api_key=principal.removeprefix("Bearer "), base_url=url + "/v1", max_retries=0)
        self.at, self.text, self.over = -1, "", False

    def tell(self, **what):
        sys.stdout.write(json.dumps({"number": self.number, **what}) + "\n")
        sys.stdout.flush()

    def read(self, key):
        answer = self.client.responses.create(model="m", input=key, background=True)
        assert answer.status == "queued" and answer.background, answer
        self.come(answer.id)

    def come(self, answer):
        self.tell(id=answer)
        for _ in range(5):
            try:
                after = {} if self.at < 0 else {"starting_after": self.at}
                self.take(self.client.responses.retrieve(answer, stream=True, **after))
            except APIError as err:
                if getattr(err, "status_code", None) or self.over:
                    raise
                broke = err
            except Exception as err:  # what the library under the SDK says of a break
                if "peer closed connection" not in str(err) and "ReadError" not in type(err).__name__:
                    raise
                broke = err
            if self.over:
                break
        else:
            raise broke
        kept = self.client.responses.retrieve(answer)
        assert kept.status == "completed" and kept.output_text == self.text, kept

    def take(self, events):
        for event in events:
            assert event.sequence_number == self.at + 1, f"event {event.sequence_number} comes behind {self.at}"
            self.at = event.sequence_number
            match event.type:
                case "response.output_text.delta":
                    self.text += event.delta
                    self.tell(text=self.text)
                case "response.completed":
                    self.over = True
                case "response.failed" | "response.incomplete":
                    raise RuntimeError(event.response.error)


def serve(number, url, principal, key, *answer):
    reader = Reader(number, url, principal)
    try:
        if answer:
            reader.come(*answer)
        else:
            reader.read(key)
        reader.tell(over=True)
    except Exception as err:
        reader.tell(failed=str(err) or type(err).__name__)


print(json.dumps({"number": 0}), flush=True)  # it is ready
for line in sys.stdin:
    threading.Thread(target=serve, args=json.loads(line), daemon=True).start()
