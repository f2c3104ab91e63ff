// The @anthropic-ai/sdk package.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import Anthropic from "@anthropic-ai/sdk";
import { assertOwnHeaders, assertParked, assertRefusal, caught, readSome, refusedOf } from "./expect.mjs";

const HELLO = { model: "claude-sonnet-4-20250514", max_tokens: 64, messages: [{ role: "user", content: "Hello" }] };
const WEATHER = {
  ...HELLO,
  messages: [{ role: "user", content: "What is the weather in Delft?" }],
  tools: [
    {
      name: "weather",
      description: "The weather of a town",
      input_schema: { type: "object", properties: { town: { type: "string" } }, required: ["town"] },
    },
  ],
};

/** Without retries of its own, which would hide what the gateway does. */
function client(endpoint) {
  return new Anthropic({ baseURL: endpoint, apiKey: "any", maxRetries: 0 });
}

function message(endpoint, more = {}, options = {}) {
  return client(endpoint).messages.create({ ...HELLO, ...more }, options);
}

export const cases = {
  async message(endpoint) {
    const { data, response } = await message(endpoint).withResponse();
    assertOwnHeaders(response.headers, { released: true });
    assert.equal(data.stop_reason, "end_turn");
    assert.ok(data.usage.input_tokens > 0 && data.usage.output_tokens > 0);
    return data.content[0].text;
  },

  async "streamed-message"(endpoint) {
    const whole = await message(endpoint);
    const stream = client(endpoint).messages.stream(HELLO);
    let text = "";
    stream.on("text", (delta) => (text += delta));
    const last = await stream.finalMessage();
    assert.equal(text, whole.content[0].text);
    assert.equal(last.content[0].text, text);
    assert.equal(last.stop_reason, "end_turn");
    assert.equal(last.usage.output_tokens, whole.usage.output_tokens);
  },

  async "tool-use"(endpoint) {
    const answer = await message(endpoint, WEATHER);
    const use = answer.content.find((block) => block.type === "tool_use");
    assert.equal(answer.stop_reason, "tool_use");
    assert.equal(use.name, "weather");
    assert.deepEqual(use.input, { town: "Delft" });
  },

  async "streamed-tool-use"(endpoint) {
    const answer = await client(endpoint).messages.stream(WEATHER).finalMessage();
    const use = answer.content.find((block) => block.type === "tool_use");
    assert.equal(answer.stop_reason, "tool_use");
    assert.deepEqual(use.input, { town: "Delft" });
  },

  async "count-tokens"(endpoint) {
    const { model, messages } = HELLO;
    const count = await client(endpoint).messages.countTokens({ model, messages });
    assert.ok(count.input_tokens > 0);
    return `${count.input_tokens} tokens`;
  },

  async parked(endpoint) {
    return assertParked(async () => {
      const { response } = await message(endpoint).withResponse();
      return response.headers.get("x-penstock-queued-ms");
    });
  },

  async "queue-full"(endpoint) {
    const error = await refusedOf((signal) => message(endpoint, {}, { signal }));
    assert.ok(error instanceof Anthropic.RateLimitError, String(error));
    assert.equal(error.status, 429);
    assert.equal(error.error.error.type, "rate_limit_error");
    assert.equal(error.error.request_id, error.headers.get("x-request-id"));
    assertRefusal(error.headers, "queue_full", { after: true });
    return error.message;
  },

  async "too-large"(endpoint) {
    const messages = [{ role: "user", content: "Hello there. ".repeat(100) }];
    const error = await caught(message(endpoint, { messages }));
    assert.ok(error instanceof Anthropic.BadRequestError, String(error));
    assertRefusal(error.headers, "cost_exceeds_capacity", { after: false });
    return error.message;
  },

  async "unknown-model"(endpoint) {
    const error = await caught(message(endpoint, { model: "no-such-model" }));
    assert.ok(error instanceof Anthropic.NotFoundError, String(error));
    assert.equal(error.error.error.type, "not_found_error");
    assert.equal(error.headers.get("x-penstock-reason"), "no_upstream_for_model");
  },

  async "bad-request"(endpoint) {
    const error = await caught(message(endpoint, { Model: "another" }));
    assert.ok(error instanceof Anthropic.BadRequestError, String(error));
    assert.equal(error.error.error.type, "invalid_request_error");
    assert.equal(error.headers.get("x-penstock-reason"), "bad_request");
  },

  async "provider-error"(endpoint) {
    const error = await caught(message(endpoint, { messages: [{ role: "user", content: "Refuse" }] }));
    assert.ok(error instanceof Anthropic.BadRequestError, String(error));
    assert.match(error.message, /policy/);
    assert.equal(error.headers.get("x-penstock-reason"), null);
  },

  async "told-to-come-again"(endpoint) {
    const messages = [{ role: "user", content: `Later, ${randomUUID()}` }];
    const answer = await message(endpoint, { messages });
    assert.equal(answer.content[0].text, "Now.");
  },

  async abort(endpoint) {
    const controller = new AbortController();
    const stream = await message(endpoint, { max_tokens: 1000, stream: true }, { signal: controller.signal });
    return readSome(stream, controller);
  },
};
