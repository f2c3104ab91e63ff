package io.penstock.mock;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** OpenAI's responses. */
final class MockResponses implements MockForm {
  /** Number of events before the first token; later events are numbered from here. */
  private static final int BEGIN_EVENTS = 4;

  private static final MockTools.Members TOOL = new MockTools.Members("", List.of("parameters"));

  MockAsk read(JsonNode body, MockAddress address) {
    int tokens = address.tokens();
    JsonNode input = body.path("input");
    boolean items = input.isArray() && !input.isEmpty();
    MockAsk.Refused wrong =
        MockRead.first(
            MockRead.model(body),
            input.isString() || items
                ? null
                : MockAsk.Refused.bad("input", "input: expected text or a list of items."),
            MockRead.number(body, "max_output_tokens", Integer.MAX_VALUE),
            MockRead.flag(body, "stream"));
    if (wrong != null) {
      return wrong;
    }
    JsonNode instructions = body.path("instructions");
    long prompt =
        items
            ? MockRead.promptTokens(input, instructions, body.path("tools"))
            : MockRead.tokens(
                    MockRead.textBytes(input)
                        + MockRead.textBytes(instructions)
                        + MockRead.jsonBytes(body.path("tools")))
                + MockRead.TOKENS_PER_MESSAGE;
    int stated = MockRead.value(body, "max_output_tokens", 0);
    int output = stated == 0 ? tokens : Math.min(tokens, stated);
    return new MockAsk.Generate(
            this,
            body.path("model").stringValue(),
            new MockAsk.Input(prompt, Math.max(stated, prompt), null),
            output,
            MockAsk.Said.words(output < tokens),
            1,
            body.path("stream").booleanValue(false),
            true)
        .saying(
            stated, call(body, address.callsTools()), document(body.path("text").path("format")));
  }

  private static @Nullable MockContent call(JsonNode body, boolean offered) {
    JsonNode choice = body.path("tool_choice");
    String named = choice.path("name").stringValue("");
    boolean over = MockTools.any(body.path("input"), "content", "type", "function_call_output");
    return over
        ? null
        : MockTools.call(
            body.path("tools"), TOOL, MockTools.Choice.of(choice.stringValue(""), named, offered));
  }

  private static @Nullable MockContent document(JsonNode format) {
    String type = format.path("type").stringValue("");
    return MockContent.document(
        type.equals("json_schema") || type.equals("json_object"), format.path("schema"));
  }

  private static void response(MockAnswer answer, boolean done, MockBytes out) {
    MockAsk.Generate ask = answer.ask();
    String status = !done ? "in_progress" : ask.said().cutShort() ? "incomplete" : "completed";
    out.put("{\"id\":\"resp_mock_").put(answer.number());
    out.put("\",\"object\":\"response\",\"created_at\":").put(answer.createdSeconds());
    out.put(",\"status\":\"").put(status).put("\",\"error\":null,\"incomplete_details\":");
    out.put(done && ask.said().cutShort() ? "{\"reason\":\"max_output_tokens\"}" : "null");
    out.put(",\"instructions\":null,\"metadata\":{},\"model\":").put(answer.model());
    out.put(",\"parallel_tool_calls\":true,\"temperature\":1.0,\"tool_choice\":\"auto\"");
    out.put(",\"tools\":[],\"top_p\":1.0,\"output\":[");
    if (done && ask.outputTokens() > 0) {
      item(answer, true, out);
    }
    out.put("],\"usage\":");
    if (done) {
      usage(ask.input().tokens(), answer.outputTokens(), out);
    } else {
      out.put("null");
    }
    out.put("}");
  }

  private static void usage(long input, long output, MockBytes out) {
    out.put("{\"input_tokens\":").put(input);
    out.put(",\"input_tokens_details\":{\"cached_tokens\":0,\"cache_write_tokens\":0}");
    out.put(",\"output_tokens\":").put(output);
    out.put(",\"output_tokens_details\":{\"reasoning_tokens\":0},\"total_tokens\":");
    out.put(input + output).put("}");
  }

  private static void item(MockAnswer answer, boolean done, MockBytes out) {
    MockContent call = MockContent.toolOf(answer);
    if (call != null) {
      call(answer, call, done, out);
      return;
    }
    out.put("{\"id\":\"msg_mock_").put(answer.number()).put("\",\"type\":\"message\",");
    out.put("\"role\":\"assistant\",\"status\":\"");
    boolean whole = done && !answer.ask().said().cutShort();
    out.put(!done ? "in_progress" : whole ? "completed" : "incomplete").put("\",\"content\":[");
    if (done) {
      part(answer, true, out);
    }
    out.put("]}");
  }

  private static void call(MockAnswer answer, MockContent call, boolean done, MockBytes out) {
    out.put("{\"id\":\"fc_mock_").put(answer.number()).put("\",\"type\":\"function_call\",");
    out.put("\"call_id\":\"call_mock_").put(answer.number()).put("\",\"name\":");
    out.put(call.toolName()).put(",\"arguments\":\"");
    answer.text().append(out, 0, done ? answer.ask().outputTokens() : 0);
    out.put("\",\"status\":\"").put(done ? "completed" : "in_progress").put("\"}");
  }

  private static void part(MockAnswer answer, boolean done, MockBytes out) {
    out.put("{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":\"");
    answer.text().append(out, 0, done ? answer.ask().outputTokens() : 0);
    out.put("\"}");
  }

  /** Begins an event; the numbers of a stream's events increase, with gaps. */
  private static MockBytes event(String type, int number, MockBytes out) {
    out.put("event: ").put(type).put("\ndata: {\"type\":\"").put(type);
    return out.put("\",\"sequence_number\":").put(number);
  }

  private static MockBytes inItem(MockAnswer answer, MockBytes out) {
    out.put(",\"output_index\":0,\"content_index\":0,\"item_id\":\"msg_mock_");
    return out.put(answer.number()).put("\"");
  }

  private static MockBytes inCall(MockAnswer answer, MockBytes out) {
    return out.put(",\"output_index\":0,\"item_id\":\"fc_mock_").put(answer.number()).put("\"");
  }

  private static void endText(MockAnswer answer, int number, MockBytes out) {
    inItem(answer, event("response.output_text.done", number, out));
    out.put(",\"logprobs\":[],\"text\":\"");
    answer.text().append(out, 0, answer.ask().outputTokens());
    out.put("\"}\n\n");
    inItem(answer, event("response.content_part.done", number + 1, out)).put(",\"part\":");
    part(answer, true, out);
    out.put("}\n\n");
  }

  @Override
  public byte[] whole(MockAnswer answer) {
    MockBytes out = new MockBytes(1_024 + answer.ask().outputTokens() * 6);
    response(answer, true, out);
    return out.toArray();
  }

  @Override
  public void begin(MockAnswer answer, MockBytes out) {
    for (int i = 0; i < 2; i++) {
      event(i == 0 ? "response.created" : "response.in_progress", i, out).put(",\"response\":");
      response(answer, false, out);
      out.put("}\n\n");
    }
    if (answer.ask().outputTokens() == 0) {
      return;
    }
    event("response.output_item.added", 2, out).put(",\"output_index\":0,\"item\":");
    item(answer, false, out);
    out.put("}\n\n");
    if (MockContent.toolOf(answer) != null) {
      return;
    }
    inItem(answer, event("response.content_part.added", 3, out)).put(",\"part\":");
    part(answer, false, out);
    out.put("}\n\n");
  }

  @Override
  public void tokens(MockAnswer answer, int from, int to, MockBytes out) {
    boolean calls = MockContent.toolOf(answer) != null;
    for (int at = from; at < to; at += MockAnswer.TOKENS_PER_EVENT) {
      if (calls) {
        inCall(answer, event("response.function_call_arguments.delta", BEGIN_EVENTS + at, out));
      } else {
        inItem(answer, event("response.output_text.delta", BEGIN_EVENTS + at, out));
        out.put(",\"logprobs\":[]");
      }
      out.put(",\"delta\":\"");
      answer.text().append(out, at, Math.min(to, at + MockAnswer.TOKENS_PER_EVENT));
      out.put("\"}\n\n");
    }
  }

  @Override
  public void end(MockAnswer answer, MockBytes out) {
    int number = BEGIN_EVENTS + answer.ask().outputTokens();
    if (answer.ask().outputTokens() > 0) {
      endItem(answer, number, out);
    }
    String last = answer.ask().said().cutShort() ? "response.incomplete" : "response.completed";
    event(last, number + 3, out).put(",\"response\":");
    response(answer, true, out);
    out.put("}\n\n");
  }

  private static void endItem(MockAnswer answer, int number, MockBytes out) {
    MockContent call = MockContent.toolOf(answer);
    if (call == null) {
      endText(answer, number, out);
    } else {
      inCall(answer, event("response.function_call_arguments.done", number, out));
      out.put(",\"name\":").put(call.toolName()).put(",\"arguments\":\"");
      answer.text().append(out, 0, answer.ask().outputTokens());
      out.put("\"}\n\n");
    }
    event("response.output_item.done", number + 2, out).put(",\"output_index\":0,\"item\":");
    item(answer, true, out);
    out.put("}\n\n");
  }
}
