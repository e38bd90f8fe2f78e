"""One real client: CLIENT BASE. Says `true` once it is imported; then each line of its input, [STEP, MODEL], is answered by a line of
JSON. The import takes seconds, so all steps are one run. Run by the Python of build/clients."""
import importlib
import json
import os
import sys

NAME, BASE = sys.argv[1:3]
TOLD, sys.stdout = sys.stdout, sys.stderr   # what the clients print themselves is no answer
TOOL = {"name": "weather", "description": "of a town", "parameters": {"type": "object", "properties": {"town": {"type": "string"}}}}


def ask(words):
    return [{"role": "user", "content": words}]


def openai_step():
    import openai
    client = openai.OpenAI(base_url=BASE + "/v1", api_key="sk-client", max_retries=0, timeout=60)
    tools = [{"type": "function", "function": TOOL}]
    chat = client.chat.completions
    try:
        if STEP == "models":
            return sorted(one.id for one in client.models.list())
        if STEP == "model":
            return client.models.retrieve(MODEL).id
        if STEP == "embeddings":
            return len(client.embeddings.create(model=MODEL, input=["a", "b"], encoding_format="float").data)
        if STEP == "tool":
            call = chat.create(model=MODEL, messages=ask("tool"), tools=tools).choices[0].message.tool_calls[0]
            return [call.function.name, call.function.arguments]
        if STEP == "tool-stream":
            calls = [part for piece in chat.create(model=MODEL, messages=ask("tool"), tools=tools, stream=True)
                     for part in piece.choices[0].delta.tool_calls or []]
            return [calls[0].function.name, "".join(call.function.arguments for call in calls)]
        if STEP == "leave":
            for number, _ in enumerate(stream := chat.create(model=MODEL, messages=ask("slow"), stream=True)):
                if number == 2:
                    stream.close()
                    return number
        if STEP.startswith("stream"):
            pieces = [piece for piece in chat.create(model=MODEL, messages=ask(STEP), stream=True, max_tokens=40) if piece.choices]
            return [len(pieces), pieces[-1].choices[0].finish_reason]
        answer = chat.create(model=MODEL, messages=ask(STEP), max_tokens=40)
        return [len(answer.choices), answer.choices[0].finish_reason]
    except openai.APIStatusError as error:
        return {"status": error.status_code, "code": error.code, "type": type(error).__name__}
    except openai.APIError as error:
        return {"message": error.message, "code": error.code, "type": type(error).__name__}


def anthropic_step():
    import anthropic
    client = anthropic.Anthropic(base_url=BASE, api_key="sk-client", max_retries=0, timeout=60)
    tool = {"name": TOOL["name"], "description": TOOL["description"], "input_schema": TOOL["parameters"]}
    try:
        if STEP.startswith("stream"):
            with client.messages.stream(model=MODEL, messages=ask(STEP), max_tokens=40) as stream:
                return [len(list(stream.text_stream)), stream.get_final_message().stop_reason]
        if STEP == "tool":
            answer = client.messages.create(model=MODEL, messages=ask("tool"), max_tokens=40, tools=[tool])
            return [answer.content[0].name, answer.content[0].input]
        answer = client.messages.create(model=MODEL, messages=ask(STEP), max_tokens=40)
        return [answer.role, answer.stop_reason]
    except anthropic.APIStatusError as error:
        return {"status": error.status_code, "kind": error.body["error"]["type"], "message": error.body["error"]["message"], "type": type(error).__name__}


def litellm_step():
    import litellm
    how = {"model": "openai/" + MODEL, "api_base": BASE + "/v1", "api_key": "sk-client", "num_retries": 0, "max_retries": 0, "timeout": 60}
    told = {}
    for step in STEP.split(","):
        try:
            if step == "tool":
                call = litellm.completion(messages=ask("tool"), tools=[{"type": "function", "function": TOOL}], **how).choices[0].message.tool_calls[0]
                told[step] = [call.function.name, call.function.arguments]
            elif step == "stream":
                told[step] = len([piece for piece in litellm.completion(messages=ask(step), stream=True, **how) if piece.choices[0].delta.content])
            elif step == "unknown":
                litellm.completion(messages=ask(step), **{**how, "model": "openai/none"})
            else:
                told[step] = litellm.completion(messages=ask(step), **how).choices[0].finish_reason
        except litellm.exceptions.APIError as error:
            told[step] = {"status": error.status_code, "type": type(error).__name__}
        except litellm.exceptions.NotFoundError as error:
            told[step] = {"status": error.status_code, "type": type(error).__name__}
    return told


STEPS = {"openai": openai_step, "anthropic": anthropic_step, "litellm": litellm_step}
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # no look at the network
importlib.import_module(NAME)
print("true", file=TOLD, flush=True)
for line in sys.stdin:
    STEP, MODEL = json.loads(line)
    print(json.dumps(STEPS[NAME]()), file=TOLD, flush=True)
