"""Checks that the cases of several libraries share."""

import asyncio
import re


def assert_equal(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def assert_own_headers(headers):
    """Checks the headers that the gateway puts on every answer that it released."""
    assert_refusal_headers(headers)
    for name, pattern in (("x-penstock-queued-ms", r"\d+"), ("x-penstock-cost", r"[1-9]\d*")):
        value = headers.get(name)
        assert re.fullmatch(pattern, value or ""), f"{name} is {value}"
    assert headers.get("x-penstock-upstream"), "x-penstock-upstream is missing"


def assert_refusal_headers(headers):
    """Checks the headers that the gateway puts on every answer and on every refusal."""
    for name in ("x-request-id", "x-penstock-endpoint"):
        assert headers.get(name), f"{name} is missing"


def assert_queue_full(headers):
    """Checks the headers of a refusal that says when to come back."""
    assert_refusal_headers(headers)
    assert_equal(headers.get("x-penstock-reason"), "queue_full")
    after = headers.get("retry-after")
    assert after and after.isdecimal() and 1 <= int(after) <= 32, f"retry-after is {after}"
    millis = headers.get("retry-after-ms")
    assert millis and 0 < float(millis) <= int(after) * 1000, f"retry-after-ms is {millis}"
    assert_equal(headers.get("x-should-retry"), None)


def assert_too_large(headers):
    """Checks the headers of a refusal that repeating the request cannot change."""
    assert_refusal_headers(headers)
    assert_equal(headers.get("x-penstock-reason"), "cost_exceeds_capacity")
    assert_equal(headers.get("retry-after"), None)
    assert_equal(headers.get("x-should-retry"), "false")


async def assert_parked(call):
    """Makes four calls at once where one may go each second: all succeed, and some have waited.

    A call returns the headers of its answer. The last one waits three seconds less the time by
    which it came later than the first.
    """
    answers = await asyncio.gather(*(call() for _ in range(4)))
    waits = [int(headers["x-penstock-queued-ms"]) for headers in answers]
    assert max(waits) >= 200, f"they waited {waits} ms"
    return f"they waited {waits} ms"


async def refused_of(call):
    """Returns the error of a call that found the queue full.

    One call may go each half minute and one may wait: the first is answered, and of two more one
    waits. The refusal of the other shows that it does. Then the one that waits is cancelled, so
    that its client closes its connection.
    """
    await call()
    done, waiting = await asyncio.wait(
        [asyncio.ensure_future(call()) for _ in range(2)], return_when=asyncio.FIRST_COMPLETED
    )
    assert_equal((len(done), len(waiting)), (1, 1))
    (waits,) = waiting
    assert waits.cancel()
    await asyncio.wait([waits])
    assert waits.cancelled(), "the call that was cancelled came to an end"
    error = done.pop().exception()
    assert error is not None, "it was answered, expected an error"
    return error


def caught(kind, call):
    """Returns the error of a call that is expected to fail with exactly this type of error."""
    try:
        call()
    except kind as error:
        assert_equal(type(error), kind)
        return error
    raise AssertionError(f"it was answered, expected {kind.__name__}")
