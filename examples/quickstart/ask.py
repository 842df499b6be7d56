# Two turns of a conversation by OpenAI's SDK, unmodified, with an agent that speaks AG-UI.
from openai import OpenAI

client = OpenAI(base_url="http://127.0.0.1:8080/v1", api_key="none")
messages = []
for question in ["What is an agent?", "And a proxy?"]:
    messages.append({"role": "user", "content": question})
    answer = ""
    for chunk in client.chat.completions.create(model="any", messages=messages, stream=True):
        if chunk.choices and chunk.choices[0].delta.content:
            answer += chunk.choices[0].delta.content
            print(chunk.choices[0].delta.content, end="", flush=True)
    print()
    messages.append({"role": "assistant", "content": answer})
print(client.chat.completions.create(model="any", messages=messages[:1]).choices[0].message.content)
