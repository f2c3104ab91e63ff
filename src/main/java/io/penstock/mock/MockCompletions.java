package io.penstock.mock;

import tools.jackson.databind.JsonNode;

/** OpenAI's text completions. */
final class MockCompletions implements MockForm {
  private static final int MAX_ANSWERS = 128;
  private static final int MAX_OUTPUT_TOKENS = 1_000_000;

  /** Reads a request, which asks for one answer, or {@code n}, to each of its prompts. */
  MockAsk read(JsonNode body, int tokens) {
    JsonNode options = body.path("stream_options");
    JsonNode prompt = body.path("prompt");
    long promptTokens = MockOpenAi.inputTokens(prompt);
    MockAsk.Refused wrong =
        MockRead.first(
            MockRead.model(body),
            MockRead.number(body, "max_tokens", Integer.MAX_VALUE),
            MockRead.number(body, "n", MAX_ANSWERS),
            MockRead.flag(body, "stream"),
            MockRead.flag(options, "include_usage"),
            promptTokens <= 0
                ? MockAsk.Refused.bad("prompt", "prompt: expected text, tokens, or a list of such.")
                : null);
    if (wrong != null) {
      return wrong;
    }
    int prompts = prompt.isArray() && !MockOpenAi.isTokens(prompt) ? prompt.size() : 1;
    long answers = (long) prompts * MockRead.value(body, "n", 1);
    int stated = MockRead.value(body, "max_tokens", tokens);
    int output = Math.min(tokens, stated);
    if (output * answers > MAX_OUTPUT_TOKENS) {
      return MockAsk.Refused.bad(
          "n", "n: expected answers of at most " + MAX_OUTPUT_TOKENS + " tokens together.");
    }
    return new MockAsk.Generate(
        this,
        body.path("model").stringValue(),
        new MockAsk.Input(
            promptTokens,
            Math.max(MockRead.value(body, "max_tokens", 0) * answers, promptTokens),
            null),
        output,
        MockAsk.Said.words(output < tokens),
        (int) answers,
        body.path("stream").booleanValue(false),
        options.path("include_usage").booleanValue(false));
  }

  private static void head(MockAnswer answer, MockBytes out) {
    out.put("{\"id\":\"cmpl-mock-").put(answer.number());
    out.put("\",\"object\":\"text_completion\",\"created\":").put(answer.createdSeconds());
    out.put(",\"model\":").put(answer.model()).put(",\"choices\":[");
  }

  private static void choice(MockAnswer answer, int index, int from, int to, MockBytes out) {
    out.put("{\"text\":\"");
    answer.text().append(out, from, to);
    out.put("\",\"index\":").put(index).put(",\"logprobs\":null,\"finish_reason\":");
  }

  private static String finish(MockAnswer answer) {
    return answer.ask().said().cutShort() ? "\"length\"}" : "\"stop\"}";
  }

  @Override
  public byte[] whole(MockAnswer answer) {
    MockAsk.Generate ask = answer.ask();
    MockBytes out = new MockBytes(512 + ask.answers() * (160 + ask.outputTokens() * 6));
    head(answer, out);
    for (int i = 0; i < ask.answers(); i++) {
      out.put(i == 0 ? "" : ",");
      choice(answer, i, 0, ask.outputTokens(), out);
      out.put(finish(answer));
    }
    out.put("],\"usage\":");
    MockOpenAi.usage(answer, out);
    return out.put("}").toArray();
  }

  @Override
  public void begin(MockAnswer answer, MockBytes out) {}

  @Override
  public void tokens(MockAnswer answer, int from, int to, MockBytes out) {
    for (int at = from; at < to; at += MockAnswer.TOKENS_PER_EVENT) {
      int until = Math.min(to, at + MockAnswer.TOKENS_PER_EVENT);
      for (int i = 0; i < answer.ask().answers(); i++) {
        event(answer, i, at, until, "null}", out);
      }
    }
  }

  private static void event(
      MockAnswer answer, int index, int from, int to, String finish, MockBytes out) {
    out.put("data: ");
    head(answer, out);
    choice(answer, index, from, to, out);
    out.put(finish).put(answer.ask().usageEvent() ? "],\"usage\":null}\n\n" : "]}\n\n");
  }

  @Override
  public void end(MockAnswer answer, MockBytes out) {
    int tokens = answer.ask().outputTokens();
    for (int i = 0; i < answer.ask().answers(); i++) {
      event(answer, i, tokens, tokens, finish(answer), out);
    }
    if (answer.ask().usageEvent()) {
      out.put("data: ");
      head(answer, out);
      out.put("],\"usage\":");
      MockOpenAi.usage(answer, out);
      out.put("}\n\n");
    }
    out.put("data: [DONE]\n\n");
  }
}
