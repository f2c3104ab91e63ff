"""Cases of the google-genai package, which does not retry unless it is told to."""

from expect import (
    assert_equal,
    assert_own_headers,
    assert_parked,
    assert_queue_full,
    assert_too_large,
    caught,
    refused_of,
)
from google import genai
from google.genai import errors, types
from pydantic import BaseModel

HELLO = {"model": "gemini-2.5-flash", "contents": "Hello"}
WEATHER = {"model": "gemini-2.5-flash", "contents": "What is the weather in Delft?"}


class Weather(BaseModel):
    town: str
    degrees: int


def client(endpoint):
    return genai.Client(api_key="any", http_options=types.HttpOptions(base_url=endpoint))


def headers(answer):
    """Returns the headers of an answer, or of an error's response, under names in lower case."""
    return {name.lower(): value for name, value in answer.headers.items()}


def generate(endpoint):
    with client(endpoint) as genai_client:
        answer = genai_client.models.generate_content(**HELLO)
    assert_own_headers(headers(answer.sdk_http_response))
    assert_equal(answer.candidates[0].finish_reason, types.FinishReason.STOP)
    usage = answer.usage_metadata
    assert usage.prompt_token_count > 0 and usage.candidates_token_count > 0, usage
    assert answer.text
    return answer.text


def stream(endpoint):
    with client(endpoint) as genai_client:
        whole = genai_client.models.generate_content(**HELLO)
        chunks = list(genai_client.models.generate_content_stream(**HELLO))
    assert_equal("".join(chunk.text or "" for chunk in chunks), whole.text)
    assert len(chunks) > 1, "it came in one piece"
    assert_equal(chunks[-1].candidates[0].finish_reason, types.FinishReason.STOP)
    total = chunks[-1].usage_metadata.total_token_count
    assert_equal(total, whole.usage_metadata.total_token_count)


async def async_stream(endpoint):
    async with client(endpoint).aio as genai_client:
        whole = await genai_client.models.generate_content(**HELLO)
        text = ""
        async for chunk in await genai_client.models.generate_content_stream(**HELLO):
            text += chunk.text or ""
    assert_equal(text, whole.text)


def tools(endpoint):
    """Lets the client call the function that the model asks for, and tell its result."""
    towns = []

    def weather(town: str) -> str:
        """Tells the weather of a town."""
        towns.append(town)
        return "11 degrees"

    with client(endpoint) as genai_client:
        config = types.GenerateContentConfig(tools=[weather])
        chat = genai_client.chats.create(model=WEATHER["model"], config=config)
        answer = chat.send_message(WEATHER["contents"])
    assert_equal(towns, ["Delft"])
    assert_equal(answer.text, "It is 11 degrees in Delft.")


def stream_tools(endpoint):
    declaration = types.FunctionDeclaration(
        name="weather",
        description="Tells the weather of a town",
        parameters=types.Schema(
            type=types.Type.OBJECT, properties={"town": types.Schema(type=types.Type.STRING)}
        ),
    )
    config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[declaration])])
    with client(endpoint) as genai_client:
        chunks = list(genai_client.models.generate_content_stream(**WEATHER, config=config))
    calls = [call for chunk in chunks for call in chunk.function_calls or []]
    assert_equal([(call.name, call.args) for call in calls], [("weather", {"town": "Delft"})])


def structured(endpoint):
    config = types.GenerateContentConfig(
        response_mime_type="application/json", response_schema=Weather
    )
    with client(endpoint) as genai_client:
        answer = genai_client.models.generate_content(**WEATHER, config=config)
    assert_equal(answer.parsed, Weather(town="Delft", degrees=11))


def embed(endpoint):
    with client(endpoint) as genai_client:
        answer = genai_client.models.embed_content(
            model="gemini-embedding-001", contents=["Hello", "there"]
        )
    assert_equal(len(answer.embeddings), 2)
    for one in answer.embeddings:
        assert len(one.values) > 2 and all(isinstance(number, float) for number in one.values)
    return f"{len(answer.embeddings[0].values)} dimensions"


def count_tokens(endpoint):
    with client(endpoint) as genai_client:
        count = genai_client.models.count_tokens(**HELLO)
    assert count.total_tokens > 0
    return f"{count.total_tokens} tokens"


async def parked(endpoint):
    async with client(endpoint).aio as genai_client:

        async def call():
            answer = await genai_client.models.generate_content(**HELLO)
            return headers(answer.sdk_http_response)

        return await assert_parked(call)


def assert_body(error):
    """Checks that the client reads the code, the message and the status of the error's body."""
    body = error.details["error"]
    read = {"code": error.code, "message": error.message, "status": error.status}
    assert_equal({name: body[name] for name in read}, read)
    assert error.message


async def queue_full(endpoint):
    async with client(endpoint).aio as genai_client:
        error = await refused_of(lambda: genai_client.models.generate_content(**HELLO))
    assert_equal(type(error), errors.ClientError)
    assert_equal((error.code, error.status), (429, "RESOURCE_EXHAUSTED"))
    assert_queue_full(headers(error.response))
    assert_body(error)
    told, info = error.details["error"]["details"]
    assert_equal(told["@type"], "type.googleapis.com/google.rpc.RetryInfo")
    assert_equal(info["@type"], "type.googleapis.com/google.rpc.ErrorInfo")
    millis = float(headers(error.response)["retry-after-ms"])
    assert abs(float(told["retryDelay"].removesuffix("s")) * 1000 - millis) < 2, told
    return error.message


def too_large(endpoint):
    body = {**HELLO, "contents": "Hello there. " * 100}
    with client(endpoint) as genai_client:
        error = caught(errors.ClientError, lambda: genai_client.models.generate_content(**body))
    assert_equal((error.code, error.status), (400, "INVALID_ARGUMENT"))
    assert_too_large(headers(error.response))
    assert_body(error)
    return error.message


def unknown_model(endpoint):
    body = {**HELLO, "model": "no-such-model"}
    with client(endpoint) as genai_client:
        error = caught(errors.ClientError, lambda: genai_client.models.generate_content(**body))
    assert_equal((error.code, error.status), (404, "NOT_FOUND"))


def bad_request(endpoint):
    config = types.GenerateContentConfig(max_output_tokens=-1)
    with client(endpoint) as genai_client:
        error = caught(
            errors.ClientError,
            lambda: genai_client.models.generate_content(**HELLO, config=config),
        )
    assert_equal((error.code, error.status), (400, "INVALID_ARGUMENT"))


def given_up(endpoint):
    """Closes a stream after a few of its chunks."""
    with client(endpoint) as genai_client:
        chunks = genai_client.models.generate_content_stream(**HELLO)
        for _ in range(3):
            assert next(chunks).candidates, "it ended before it was given up"
        chunks.close()


CASES = {
    test.__name__.replace("_", "-"): test
    for test in (
        generate,
        stream,
        async_stream,
        tools,
        stream_tools,
        structured,
        embed,
        count_tokens,
        parked,
        queue_full,
        too_large,
        unknown_model,
        bad_request,
        given_up,
    )
}
