// The openai package.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import OpenAI from "openai";
import { assertOwnHeaders, assertParked, assertRefusal, caught, readSome, refusedOf } from "./expect.mjs";

const MODEL = "gpt-4o";
const HELLO = [{ role: "user", content: "Hello" }];
const WEATHER = [{ role: "user", content: "What is the weather in Delft?" }];
const TOOLS = [
  {
    type: "function",
    function: {
      name: "weather",
      description: "The weather of a town",
      parameters: { type: "object", properties: { town: { type: "string" } }, required: ["town"] },
    },
  },
];

/** Without retries of its own, which would hide what the gateway does. */
function client(endpoint) {
  return new OpenAI({ baseURL: `${endpoint}/v1`, apiKey: "any", maxRetries: 0 });
}

function chat(endpoint, more = {}, options = {}) {
  return client(endpoint).chat.completions.create({ model: MODEL, messages: HELLO, ...more }, options);
}

async function streamed(endpoint, more) {
  const seen = { text: "", finish: [], usage: [], empty: 0 };
  for await (const chunk of await chat(endpoint, { ...more, stream: true })) {
    seen.empty += chunk.choices.length === 0 ? 1 : 0;
    seen.usage.push(...(chunk.usage ? [chunk.usage] : []));
    for (const choice of chunk.choices) {
      seen.text += choice.delta.content ?? "";
      seen.finish.push(...(choice.finish_reason ? [choice.finish_reason] : []));
    }
  }
  return seen;
}

async function events(stream) {
  const all = [];
  for await (const event of stream) {
    all.push(event);
  }
  return all;
}

export const cases = {
  async chat(endpoint) {
    const { data, response } = await chat(endpoint).withResponse();
    assertOwnHeaders(response.headers, { released: true });
    assert.equal(data.object, "chat.completion");
    assert.equal(data.choices[0].finish_reason, "stop");
    assert.ok(data.usage.prompt_tokens > 0 && data.usage.completion_tokens > 0);
    assert.equal(data.usage.total_tokens, data.usage.prompt_tokens + data.usage.completion_tokens);
    return data.choices[0].message.content;
  },

  async "streamed-chat"(endpoint) {
    const whole = await chat(endpoint);
    const seen = await streamed(endpoint, {});
    assert.equal(seen.text, whole.choices[0].message.content);
    assert.deepEqual(seen.finish, ["stop"]);
    assert.deepEqual(seen.usage, [], "a usage that nobody asked for");
    assert.equal(seen.empty, 0, "a chunk without choices that nobody asked for");
  },

  async "streamed-chat-with-usage"(endpoint) {
    const whole = await chat(endpoint);
    const seen = await streamed(endpoint, { stream_options: { include_usage: true } });
    assert.equal(seen.text, whole.choices[0].message.content);
    assert.deepEqual(seen.finish, ["stop"]);
    assert.equal(seen.empty, 1);
    assert.deepEqual(seen.usage, [whole.usage]);
  },

  async parked(endpoint) {
    return assertParked(async () => {
      const { response } = await chat(endpoint).withResponse();
      return response.headers.get("x-penstock-queued-ms");
    });
  },

  async embeddings(endpoint) {
    const model = "text-embedding-3-small";
    const { data, response } = await client(endpoint)
      .embeddings.create({ model, input: ["Hello", "there"] })
      .withResponse();
    assertOwnHeaders(response.headers, { released: true });
    assert.deepEqual(data.data.map((one) => one.index), [0, 1]);
    data.data.forEach((one) => assert.ok(one.embedding.every(Number.isFinite) && one.embedding.length > 2));
    return `${data.data[0].embedding.length} dimensions`;
  },

  async "tool-call"(endpoint) {
    const answer = await chat(endpoint, { messages: WEATHER, tools: TOOLS });
    const [call] = answer.choices[0].message.tool_calls;
    assert.equal(answer.choices[0].finish_reason, "tool_calls");
    assert.equal(call.function.name, "weather");
    assert.deepEqual(JSON.parse(call.function.arguments), { town: "Delft" });
  },

  async "streamed-tool-call"(endpoint) {
    const runner = client(endpoint).chat.completions.stream({ model: MODEL, messages: WEATHER, tools: TOOLS });
    const answer = await runner.finalChatCompletion();
    const [call] = answer.choices[0].message.tool_calls;
    assert.equal(answer.choices[0].finish_reason, "tool_calls");
    assert.deepEqual(JSON.parse(call.function.arguments), { town: "Delft" });
  },

  async responses(endpoint) {
    const { data, response } = await client(endpoint)
      .responses.create({ model: MODEL, input: "Hello" })
      .withResponse();
    assertOwnHeaders(response.headers, { released: true });
    assert.equal(data.status, "completed");
    assert.ok(data.output_text.length > 0 && data.usage.output_tokens > 0);
    return data.output_text;
  },

  async "streamed-responses"(endpoint) {
    const body = { model: MODEL, input: "Hello" };
    const whole = await client(endpoint).responses.create(body);
    const all = await events(await client(endpoint).responses.create({ ...body, stream: true }));
    const deltas = all.filter((event) => event.type === "response.output_text.delta");
    assert.equal(deltas.map((event) => event.delta).join(""), whole.output_text);
    assert.equal(all.at(-1).type, "response.completed");
    assert.deepEqual(all.at(-1).response.usage, whole.usage);
  },

  async "queue-full"(endpoint) {
    const error = await refusedOf((signal) => chat(endpoint, {}, { signal }));
    assert.ok(error instanceof OpenAI.RateLimitError, String(error));
    assert.equal(error.status, 429);
    assert.equal(error.code, "queue_full");
    assert.equal(error.type, "requests");
    assert.equal(error.requestID, error.headers.get("x-request-id"));
    assertRefusal(error.headers, "queue_full", { after: true });
    return error.message;
  },

  async "too-large"(endpoint) {
    const messages = [{ role: "user", content: "Hello there. ".repeat(100) }];
    const error = await caught(chat(endpoint, { messages }));
    assert.ok(error instanceof OpenAI.BadRequestError, String(error));
    assert.equal(error.code, "cost_exceeds_capacity");
    assert.equal(error.type, "invalid_request_error");
    assertRefusal(error.headers, "cost_exceeds_capacity", { after: false });
    return error.message;
  },

  async "unknown-model"(endpoint) {
    const error = await caught(chat(endpoint, { model: "no-such-model" }));
    assert.ok(error instanceof OpenAI.NotFoundError, String(error));
    assert.equal(error.code, "model_not_found");
    assert.equal(error.headers.get("x-penstock-reason"), "no_upstream_for_model");
  },

  async "bad-request"(endpoint) {
    const error = await caught(chat(endpoint, { Model: "another" }));
    assert.ok(error instanceof OpenAI.BadRequestError, String(error));
    assert.equal(error.headers.get("x-penstock-reason"), "bad_request");
  },

  async "provider-error"(endpoint) {
    const error = await caught(chat(endpoint, { messages: [{ role: "user", content: "Refuse" }] }));
    assert.ok(error instanceof OpenAI.BadRequestError, String(error));
    assert.equal(error.code, "content_policy_violation");
    assert.equal(error.headers.get("x-penstock-reason"), null);
  },

  async "told-to-come-again"(endpoint) {
    const messages = [{ role: "user", content: `Later, ${randomUUID()}` }];
    const answer = await chat(endpoint, { messages });
    assert.equal(answer.choices[0].message.content, "Now.");
  },

  async abort(endpoint) {
    const controller = new AbortController();
    const stream = await chat(endpoint, { stream: true }, { signal: controller.signal });
    return readSome(stream, controller);
  },
};
