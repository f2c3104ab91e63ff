package io.penstock.mock;

/** Gemini's answers: whole, or streamed as events or as the elements of a JSON list. */
enum MockGeminiForm implements MockForm {
  EVENTS {
    @Override
    public void begin(MockAnswer answer, MockBytes out) {}

    @Override
    void part(MockAnswer answer, int from, int to, boolean last, MockBytes out) {
      out.put("data: ");
      MockGeminiForm.object(answer, from, to, last, out);
      out.put("\r\n\r\n");
    }

    @Override
    public void end(MockAnswer answer, MockBytes out) {
      int tokens = answer.ask().outputTokens();
      part(answer, tokens, tokens, true, out);
    }

    @Override
    public String streamType() {
      return "text/event-stream";
    }
  },
  LIST {
    @Override
    public void begin(MockAnswer answer, MockBytes out) {
      out.put("[");
    }

    @Override
    void part(MockAnswer answer, int from, int to, boolean last, MockBytes out) {
      out.put(from == 0 ? "" : "\n,\r\n");
      MockGeminiForm.object(answer, from, to, last, out);
    }

    @Override
    public void end(MockAnswer answer, MockBytes out) {
      int tokens = answer.ask().outputTokens();
      part(answer, tokens, tokens, true, out);
      out.put("\n]");
    }

    @Override
    public String streamType() {
      return "application/json; charset=UTF-8";
    }
  };

  abstract void part(MockAnswer answer, int from, int to, boolean last, MockBytes out);

  @Override
  public byte[] whole(MockAnswer answer) {
    MockAsk.Generate ask = answer.ask();
    MockBytes out = new MockBytes(512 + ask.answers() * (160 + ask.outputTokens() * 6));
    object(answer, 0, ask.outputTokens(), true, out);
    return out.toArray();
  }

  @Override
  public void tokens(MockAnswer answer, int from, int to, MockBytes out) {
    for (int at = from; at < to; at += MockAnswer.TOKENS_PER_EVENT) {
      part(answer, at, Math.min(to, at + MockAnswer.TOKENS_PER_EVENT), false, out);
    }
  }

  /** Appends a range of words of each answer, and the usage up to its end. */
  private static void object(MockAnswer answer, int from, int to, boolean last, MockBytes out) {
    MockAsk.Generate ask = answer.ask();
    MockContent call = MockContent.toolOf(answer);
    out.put("{\"candidates\":[");
    for (int i = 0; i < ask.answers(); i++) {
      out.put(i == 0 ? "" : ",").put("{\"content\":{\"parts\":[{");
      if (call == null) {
        out.put("\"text\":\"");
        answer.text().append(out, from, to);
        out.put("\"");
      } else if (last) {
        out.put("\"functionCall\":{\"name\":").put(call.toolName());
        out.put(",\"args\":").put(call.json()).put("}");
      } else {
        out.put("\"text\":\"\""); // a function is called in one piece, with the last event
      }
      out.put("}],\"role\":\"model\"},");
      if (last) {
        out.put("\"finishReason\":\"")
            .put(ask.said().cutShort() ? "MAX_TOKENS" : "STOP")
            .put("\",");
      }
      out.put("\"index\":").put(i).put("}");
    }
    long output = (long) to * ask.answers();
    out.put("],\"usageMetadata\":{\"promptTokenCount\":").put(ask.input().tokens());
    out.put(",\"candidatesTokenCount\":").put(output);
    out.put(",\"totalTokenCount\":").put(ask.input().tokens() + output);
    out.put("},\"modelVersion\":").put(answer.model());
    out.put(",\"responseId\":\"mock-").put(answer.number()).put("\"}");
  }
}
