"""Cases of the openai package."""

import json

import openai
from expect import (
    assert_equal,
    assert_own_headers,
    assert_parked,
    assert_queue_full,
    assert_too_large,
    caught,
    refused_of,
)
from pydantic import BaseModel

HELLO = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello"}]}
WEATHER = {
    "model": "gpt-4o",
    "messages": [{"role": "user", "content": "What is the weather in Delft?"}],
}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "Tells the weather of a town",
            "parameters": {
                "type": "object",
                "properties": {"town": {"type": "string"}},
                "required": ["town"],
            },
        },
    }
]


class Weather(BaseModel):
    town: str
    degrees: int


def client(endpoint):
    """Returns a client without retries, which would hide what the gateway does."""
    return openai.OpenAI(base_url=f"{endpoint}/v1", api_key="any", max_retries=0)


def async_client(endpoint):
    return openai.AsyncOpenAI(base_url=f"{endpoint}/v1", api_key="any", max_retries=0)


def chat(endpoint):
    raw = client(endpoint).chat.completions.with_raw_response.create(**HELLO)
    assert_own_headers(raw.headers)
    answer = raw.parse()
    assert_equal(answer.object, "chat.completion")
    assert_equal(answer.choices[0].finish_reason, "stop")
    usage = answer.usage
    assert usage.prompt_tokens > 0 and usage.completion_tokens > 0, usage
    assert_equal(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens)
    assert answer.choices[0].message.content
    return answer.choices[0].message.content


def stream(endpoint):
    whole = client(endpoint).chat.completions.create(**HELLO)
    chunks = list(client(endpoint).chat.completions.create(**HELLO, stream=True))
    deltas = [choice.delta.content or "" for chunk in chunks for choice in chunk.choices]
    assert_equal("".join(deltas), whole.choices[0].message.content)
    assert len([delta for delta in deltas if delta]) > 1, "it came in one piece"
    assert_equal(chunks[-1].choices[0].finish_reason, "stop")
    assert_equal([chunk.usage for chunk in chunks if chunk.usage], [])


async def stream_usage(endpoint):
    whole = await async_client(endpoint).chat.completions.create(**HELLO)
    text, usage = "", []
    async for chunk in await async_client(endpoint).chat.completions.create(
        **HELLO, stream=True, stream_options={"include_usage": True}
    ):
        text += "".join(choice.delta.content or "" for choice in chunk.choices)
        usage += [chunk.usage] if chunk.usage else []
    assert_equal(text, whole.choices[0].message.content)
    assert_equal(usage, [whole.usage])


def tools(endpoint):
    """Calls the tool that the model asks for, and gets the answer that is made of its result."""
    completions = client(endpoint).chat.completions
    asked = completions.create(**WEATHER, tools=TOOLS)
    assert_equal(asked.choices[0].finish_reason, "tool_calls")
    (call,) = asked.choices[0].message.tool_calls
    assert_equal(call.function.name, "weather")
    assert_equal(json.loads(call.function.arguments), {"town": "Delft"})
    result = {"role": "tool", "tool_call_id": call.id, "content": "11 degrees"}
    messages = [*WEATHER["messages"], asked.choices[0].message, result]
    told = completions.create(model=WEATHER["model"], messages=messages, tools=TOOLS)
    assert_equal(told.choices[0].finish_reason, "stop")
    assert_equal(told.choices[0].message.content, "It is 11 degrees in Delft.")


def stream_tools(endpoint):
    with client(endpoint).chat.completions.stream(**WEATHER, tools=TOOLS) as events:
        answer = events.get_final_completion()
    assert_equal(answer.choices[0].finish_reason, "tool_calls")
    (call,) = answer.choices[0].message.tool_calls
    assert_equal(call.function.name, "weather")
    assert_equal(json.loads(call.function.arguments), {"town": "Delft"})


def structured(endpoint):
    answer = client(endpoint).chat.completions.parse(**WEATHER, response_format=Weather)
    assert_equal(answer.choices[0].message.parsed, Weather(town="Delft", degrees=11))


def embeddings(endpoint):
    raw = client(endpoint).embeddings.with_raw_response.create(
        model="text-embedding-3-small", input=["Hello", "there"]
    )
    assert_own_headers(raw.headers)
    answer = raw.parse()
    assert_equal([one.index for one in answer.data], [0, 1])
    for one in answer.data:
        assert_equal(len(one.embedding), 1536)
        assert all(isinstance(number, float) for number in one.embedding)
    assert answer.usage.prompt_tokens > 0
    return f"{len(answer.data[0].embedding)} dimensions"


async def parked(endpoint):
    raw = async_client(endpoint).chat.completions.with_raw_response

    async def call():
        return (await raw.create(**HELLO)).headers

    return await assert_parked(call)


async def queue_full(endpoint):
    completions = async_client(endpoint).chat.completions
    error = await refused_of(lambda: completions.create(**HELLO))
    assert_equal(type(error), openai.RateLimitError)
    assert_equal((error.status_code, error.code, error.type), (429, "queue_full", "requests"))
    assert_equal(error.request_id, error.response.headers["x-request-id"])
    assert_equal(error.body, error.response.json()["error"])
    assert error.body["message"] and error.body["message"] in error.message, error.message
    assert_queue_full(error.response.headers)
    return error.message


def too_large(endpoint):
    body = {**HELLO, "messages": [{"role": "user", "content": "Hello there. " * 100}]}
    error = caught(
        openai.BadRequestError, lambda: client(endpoint).chat.completions.create(**body)
    )
    assert_equal((error.code, error.type), ("cost_exceeds_capacity", "invalid_request_error"))
    assert_too_large(error.response.headers)
    return error.message


def unknown_model(endpoint):
    body = {**HELLO, "model": "no-such-model"}
    error = caught(openai.NotFoundError, lambda: client(endpoint).chat.completions.create(**body))
    assert_equal(error.code, "model_not_found")


def bad_request(endpoint):
    error = caught(
        openai.BadRequestError,
        lambda: client(endpoint).chat.completions.create(**HELLO, extra_body={"Model": "another"}),
    )
    assert_equal(error.response.headers["x-penstock-reason"], "bad_request")


def given_up(endpoint):
    """Closes a stream after a few of its chunks."""
    with client(endpoint).chat.completions.create(**HELLO, stream=True) as chunks:
        for _ in range(3):
            assert next(chunks).choices, "it ended before it was given up"


CASES = {
    test.__name__.replace("_", "-"): test
    for test in (
        chat,
        stream,
        stream_usage,
        tools,
        stream_tools,
        structured,
        embeddings,
        parked,
        queue_full,
        too_large,
        unknown_model,
        bad_request,
        given_up,
    )
}
