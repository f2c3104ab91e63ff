// Serves @copilotkit/aimock on a free port of this machine, prints its URL, and goes when its
// standard input ends, so that it never outlives who started it.
import process from "node:process";
import { LLMock } from "@copilotkit/aimock";

/** One usage, under the names of every dialect. */
const USAGE = {
  prompt_tokens: 11,
  completion_tokens: 7,
  input_tokens: 11,
  output_tokens: 7,
  promptTokenCount: 11,
  candidatesTokenCount: 7,
};

const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 5 });
mock.onMessage("Hello", { content: "Good day to you, and what a fine one it is.", usage: USAGE });
mock.onMessage("weather in Delft", {
  toolCalls: [{ name: "weather", arguments: '{"town":"Delft"}' }],
  usage: USAGE,
});
mock.onMessage("Refuse", {
  status: 400,
  error: { message: "Against policy.", type: "invalid_request_error", code: "content_policy_violation" },
});

process.stdin.on("end", () => process.exit(0)).resume();

/** Texts of which the first request is told to come again in a second, as every provider does. */
const told = new Set();
mock.onMessage("Later", (request) => {
  const text = request.messages.at(-1).content;
  if (told.has(text)) {
    return { content: "Now.", usage: USAGE };
  }
  told.add(text);
  const error = { message: "Rate limit reached.", type: "rate_limit_error", code: "rate_limit_exceeded" };
  return { status: 429, retryAfter: 1, error };
});

console.log(await mock.start());
