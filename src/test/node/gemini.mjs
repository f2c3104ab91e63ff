// The @google/genai package.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { ApiError, FunctionCallingConfigMode, GoogleGenAI, Type } from "@google/genai";
import { assertOwnHeaders, assertParked, caught, readSome, refusedOf } from "./expect.mjs";

const HELLO = { model: "gemini-2.5-flash", contents: "Hello" };
const WEATHER = {
  ...HELLO,
  contents: "What is the weather in Delft?",
  config: {
    tools: [
      {
        functionDeclarations: [
          {
            name: "weather",
            description: "The weather of a town",
            parameters: { type: Type.OBJECT, properties: { town: { type: Type.STRING } } },
          },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
  },
};

function models(endpoint) {
  return new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: endpoint } }).models;
}

function generate(endpoint, more = {}) {
  return models(endpoint).generateContent({ ...HELLO, ...more });
}

function headers(answer) {
  return new Headers(answer.sdkHttpResponse.headers);
}

/** The error's status and, from its message, the provider-shaped body. */
function parsed(error) {
  assert.ok(error instanceof ApiError, String(error));
  const body = JSON.parse(error.message).error;
  assert.equal(body.code, error.status);
  return body;
}

export const cases = {
  async generate(endpoint) {
    const answer = await generate(endpoint);
    assertOwnHeaders(headers(answer), { released: true });
    assert.equal(answer.candidates[0].finishReason, "STOP");
    assert.ok(answer.usageMetadata.promptTokenCount > 0 && answer.usageMetadata.candidatesTokenCount > 0);
    return answer.text;
  },

  async "streamed-generate"(endpoint) {
    const whole = await generate(endpoint);
    const chunks = [];
    for await (const chunk of await models(endpoint).generateContentStream(HELLO)) {
      chunks.push(chunk);
    }
    assert.equal(chunks.map((chunk) => chunk.text ?? "").join(""), whole.text);
    assert.equal(chunks.at(-1).candidates[0].finishReason, "STOP");
    const { totalTokenCount } = chunks.at(-1).usageMetadata;
    assert.equal(totalTokenCount, whole.usageMetadata.totalTokenCount);
  },

  async "function-call"(endpoint) {
    const answer = await generate(endpoint, WEATHER);
    assert.deepEqual(
      answer.functionCalls.map((call) => [call.name, call.args]),
      [["weather", { town: "Delft" }]],
    );
  },

  async "streamed-function-call"(endpoint) {
    const calls = [];
    for await (const chunk of await models(endpoint).generateContentStream(WEATHER)) {
      calls.push(...(chunk.functionCalls ?? []));
    }
    assert.deepEqual(
      calls.map((call) => [call.name, call.args]),
      [["weather", { town: "Delft" }]],
    );
  },

  async embed(endpoint) {
    const answer = await models(endpoint).embedContent({ model: "gemini-embedding-001", contents: ["Hello", "there"] });
    assert.equal(answer.embeddings.length, 2);
    answer.embeddings.forEach((one) => assert.ok(one.values.every(Number.isFinite) && one.values.length > 2));
    return `${answer.embeddings[0].values.length} dimensions`;
  },

  async "count-tokens"(endpoint) {
    const count = await models(endpoint).countTokens(HELLO);
    assert.ok(count.totalTokens > 0);
    return `${count.totalTokens} tokens`;
  },

  async parked(endpoint) {
    return assertParked(async () => headers(await generate(endpoint)).get("x-penstock-queued-ms"));
  },

  async "queue-full"(endpoint) {
    const error = await refusedOf((abortSignal) => generate(endpoint, { config: { abortSignal } }));
    const body = parsed(error);
    assert.equal(error.status, 429);
    assert.equal(body.status, "RESOURCE_EXHAUSTED");
    return body.message;
  },

  async "too-large"(endpoint) {
    const error = await caught(generate(endpoint, { contents: "Hello there. ".repeat(100) }));
    const body = parsed(error);
    assert.equal(body.status, "INVALID_ARGUMENT");
    return body.message;
  },

  async "unknown-model"(endpoint) {
    const error = await caught(generate(endpoint, { model: "no-such-model" }));
    assert.equal(parsed(error).status, "NOT_FOUND");
  },

  async "bad-request"(endpoint) {
    const error = await caught(generate(endpoint, { config: { maxOutputTokens: -1 } }));
    assert.equal(parsed(error).status, "INVALID_ARGUMENT");
  },

  async "provider-error"(endpoint) {
    const error = await caught(generate(endpoint, { contents: "Refuse" }));
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.status, 400);
    assert.match(error.message, /policy/);
  },

  async "told-to-come-again"(endpoint) {
    const answer = await generate(endpoint, { contents: `Later, ${randomUUID()}` });
    assert.equal(answer.text, "Now.");
  },

  async abort(endpoint) {
    const controller = new AbortController();
    const config = { abortSignal: controller.signal };
    return readSome(await models(endpoint).generateContentStream({ ...HELLO, config }), controller);
  },
};
