// What several libraries' cases check in the same way.
import assert from "node:assert/strict";

/** The headers that every answer and every refusal carries. */
export function assertOwnHeaders(headers, { released }) {
  assert.ok(headers.get("x-request-id"), "x-request-id is missing");
  assert.ok(headers.get("x-penstock-endpoint"), "x-penstock-endpoint is missing");
  if (released) {
    assert.match(headers.get("x-penstock-queued-ms") ?? "none", /^\d+$/);
    assert.match(headers.get("x-penstock-cost") ?? "none", /^[1-9]\d*$/);
    assert.ok(headers.get("x-penstock-upstream"), "x-penstock-upstream is missing");
  }
}

/** A refusal that tells when to come back, if that helps. */
export function assertRefusal(headers, reason, { after }) {
  assertOwnHeaders(headers, { released: false });
  assert.equal(headers.get("x-penstock-reason"), reason);
  if (after) {
    const seconds = Number(headers.get("retry-after"));
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 62, `retry-after is ${seconds}`);
    const millis = Number(headers.get("retry-after-ms"));
    assert.ok(millis > 0 && millis <= seconds * 1000, `retry-after-ms is ${millis} of ${seconds} s`);
  } else {
    assert.equal(headers.get("retry-after"), null);
    assert.equal(headers.get("x-should-retry"), "false");
  }
}

/**
 * Four calls at once, where one may go a second: none fails, and some have waited. The last waits
 * three seconds less the time by which it came later than the first.
 */
export async function assertParked(call) {
  const waits = await Promise.all([call(), call(), call(), call()]);
  const seen = `they waited ${waits.join(", ")} ms`;
  assert.ok(Math.max(...waits.map(Number)) >= 200, seen);
  return seen;
}

/**
 * Calls where one may go a minute and one may wait: of two more, the one that finds the queue full
 * fails at once. Returns its error; the one that waits is given up.
 */
export async function refusedOf(call) {
  await call(new AbortController().signal);
  const controllers = [new AbortController(), new AbortController()];
  const calls = controllers.map((controller) => caught(call(controller.signal)));
  const error = await Promise.race(calls);
  controllers.forEach((controller) => controller.abort());
  await Promise.all(calls);
  return error;
}

/** The error of a call that is expected to fail. */
export async function caught(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it was answered, expected an error");
}

/** Reads a stream until it has seen some of it, gives it up, and returns how many parts came. */
export async function readSome(stream, controller) {
  let parts = 0;
  try {
    for await (const _ of stream) {
      if (++parts === 3) {
        controller.abort();
      }
      assert.ok(parts < 100, "the stream goes on after it was given up");
    }
  } catch (error) {
    if (!controller.signal.aborted || error instanceof assert.AssertionError) {
      throw error;
    }
  }
  assert.ok(parts >= 3, `only ${parts} parts came`);
  return `${parts} parts`;
}
