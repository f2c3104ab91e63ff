"""Cases of the anthropic package."""

import anthropic
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

HELLO = {
    "model": "claude-sonnet-5",
    "max_tokens": 64,
    "messages": [{"role": "user", "content": "Hello"}],
}
WEATHER = {**HELLO, "messages": [{"role": "user", "content": "What is the weather in Delft?"}]}
TOOLS = [
    {
        "name": "weather",
        "description": "Tells the weather of a town",
        "input_schema": {
            "type": "object",
            "properties": {"town": {"type": "string"}},
            "required": ["town"],
        },
    }
]


class Weather(BaseModel):
    town: str
    degrees: int


def client(endpoint):
    """Returns a client without retries, which would hide what the gateway does."""
    return anthropic.Anthropic(base_url=endpoint, api_key="any", max_retries=0)


def async_client(endpoint):
    return anthropic.AsyncAnthropic(base_url=endpoint, api_key="any", max_retries=0)


def message(endpoint):
    raw = client(endpoint).messages.with_raw_response.create(**HELLO)
    assert_own_headers(raw.headers)
    answer = raw.parse()
    assert_equal(answer.stop_reason, "end_turn")
    assert answer.usage.input_tokens > 0 and answer.usage.output_tokens > 0, answer.usage
    assert answer.content[0].text
    return answer.content[0].text


def stream(endpoint):
    whole = client(endpoint).messages.create(**HELLO)
    with client(endpoint).messages.stream(**HELLO) as events:
        pieces = list(events.text_stream)
        last = events.get_final_message()
    assert_equal("".join(pieces), whole.content[0].text)
    assert len(pieces) > 1, "it came in one piece"
    assert_equal(last.content[0].text, whole.content[0].text)
    assert_equal(last.stop_reason, "end_turn")
    assert_equal(last.usage.output_tokens, whole.usage.output_tokens)


async def async_stream(endpoint):
    whole = await async_client(endpoint).messages.create(**HELLO)
    async with async_client(endpoint).messages.stream(**HELLO) as events:
        text = "".join([piece async for piece in events.text_stream])
    assert_equal(text, whole.content[0].text)


def tools(endpoint):
    """Calls the tool that the model asks for, and gets the answer that is made of its result."""
    messages = client(endpoint).messages
    asked = messages.create(**WEATHER, tools=TOOLS)
    assert_equal(asked.stop_reason, "tool_use")
    (use,) = [block for block in asked.content if block.type == "tool_use"]
    assert_equal((use.name, use.input), ("weather", {"town": "Delft"}))
    result = {"type": "tool_result", "tool_use_id": use.id, "content": "11 degrees"}
    turns = [
        *WEATHER["messages"],
        {"role": "assistant", "content": asked.content},
        {"role": "user", "content": [result]},
    ]
    told = messages.create(**{**WEATHER, "messages": turns}, tools=TOOLS)
    assert_equal(told.stop_reason, "end_turn")
    assert_equal(told.content[0].text, "It is 11 degrees in Delft.")


def stream_tools(endpoint):
    with client(endpoint).messages.stream(**WEATHER, tools=TOOLS) as events:
        answer = events.get_final_message()
    assert_equal(answer.stop_reason, "tool_use")
    (use,) = [block for block in answer.content if block.type == "tool_use"]
    assert_equal((use.name, use.input), ("weather", {"town": "Delft"}))


def structured(endpoint):
    answer = client(endpoint).messages.parse(**WEATHER, output_format=Weather)
    assert_equal(answer.parsed_output, Weather(town="Delft", degrees=11))


def count_tokens(endpoint):
    count = client(endpoint).messages.count_tokens(
        model=HELLO["model"], messages=HELLO["messages"]
    )
    assert count.input_tokens > 0
    return f"{count.input_tokens} tokens"


async def parked(endpoint):
    raw = async_client(endpoint).messages.with_raw_response

    async def call():
        return (await raw.create(**HELLO)).headers

    return await assert_parked(call)


async def queue_full(endpoint):
    messages = async_client(endpoint).messages
    error = await refused_of(lambda: messages.create(**HELLO))
    assert_equal(type(error), anthropic.RateLimitError)
    assert_equal(error.status_code, 429)
    assert_equal(error.body, error.response.json())
    assert_equal((error.body["type"], error.body["error"]["type"]), ("error", "rate_limit_error"))
    assert error.body["error"]["message"] in error.message, error.message
    assert_equal(error.body["request_id"], error.response.headers["x-request-id"])
    assert_queue_full(error.response.headers)
    return error.message


def too_large(endpoint):
    body = {**HELLO, "messages": [{"role": "user", "content": "Hello there. " * 100}]}
    error = caught(anthropic.BadRequestError, lambda: client(endpoint).messages.create(**body))
    assert_too_large(error.response.headers)
    return error.message


def unknown_model(endpoint):
    body = {**HELLO, "model": "no-such-model"}
    error = caught(anthropic.NotFoundError, lambda: client(endpoint).messages.create(**body))
    assert_equal(error.body["error"]["type"], "not_found_error")
    assert_equal(error.response.headers["x-penstock-reason"], "no_upstream_for_model")


def bad_request(endpoint):
    body = {**HELLO, "extra_body": {"Model": "another"}}
    error = caught(anthropic.BadRequestError, lambda: client(endpoint).messages.create(**body))
    assert_equal(error.body["error"]["type"], "invalid_request_error")
    assert_equal(error.response.headers["x-penstock-reason"], "bad_request")


def given_up(endpoint):
    """Closes a stream after a few of its pieces."""
    with client(endpoint).messages.stream(**{**HELLO, "max_tokens": 1000}) as events:
        for _ in range(3):
            assert next(events.text_stream), "it ended before it was given up"


CASES = {
    test.__name__.replace("_", "-"): test
    for test in (
        message,
        stream,
        async_stream,
        tools,
        stream_tools,
        structured,
        count_tokens,
        parked,
        queue_full,
        too_large,
        unknown_model,
        bad_request,
        given_up,
    )
}
