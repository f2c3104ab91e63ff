package io.penstock.provider.answer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dialect.DialectTable;
import io.penstock.provider.ProviderProtocol;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that errors in answers with a good status are found wherever providers and compatible
 * servers state them, and that nothing else is taken for one.
 */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class AnswerErrorTest {
  private static final String OPENAI = "openai";
  private static final String ANTHROPIC = "anthropic";
  private static final String GEMINI = "gemini";
  private static final String MISTRAL = "mistral";

  /**
   * An answer with an error.
   *
   * @param source where the shape is documented or was reported
   * @param status the status that the error stands for
   * @param says a part of what it says
   */
  record Case(String source, String dialect, int status, String says, String answer) {
    @Override
    public String toString() {
      return source;
    }
  }

  private static ProviderProtocol protocol(String dialect) {
    return switch (dialect) {
      case ANTHROPIC -> DialectTable.ANTHROPIC;
      case GEMINI -> DialectTable.GEMINI;
      case MISTRAL -> DialectTable.MISTRAL;
      default -> DialectTable.OPENAI;
    };
  }

  private static String data(String... events) {
    return "data: " + String.join("\n\ndata: ", events) + "\n\n";
  }

  private static final String ROLE =
      "{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\","
          + "\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},"
          + "\"finish_reason\":null}]}";
  private static final String TEXT =
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"12345678\"}}]}\n\n";
  private static final String MESSAGE_START =
      "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg\","
          + "\"model\":\"m\",\"usage\":{\"input_tokens\":25,\"output_tokens\":1}}}\n\n"
          + "event: ping\ndata: {\"type\":\"ping\"}\n\n";
  private static final String CREATED =
      "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\","
          + "\"status\":\"in_progress\",\"error\":null,\"output\":[]}}\n\n";

  static Stream<Case> errors() {
    return Stream.of(
        new Case(
            "Anthropic, Errors, in a stream",
            ANTHROPIC,
            529,
            "Overloaded",
            MESSAGE_START
                + "event: error\ndata: {\"type\":\"error\",\"error\":"
                + "{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"),
        new Case(
            "Anthropic, Errors: rate_limit_error",
            ANTHROPIC,
            429,
            "rate limit",
            "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\","
                + "\"message\":\"This request would exceed your rate limit\"}}"),
        new Case(
            "Anthropic, Errors: api_error",
            ANTHROPIC,
            500,
            "Internal",
            data(
                "{\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"Internal\"}}")),
        new Case(
            "Anthropic, Errors: invalid_request_error",
            ANTHROPIC,
            400,
            "too long",
            data(
                "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
                    + "\"message\":\"prompt is too long\"}}")),
        new Case(
            "anthropic-sdk-typescript #346, from Vertex AI",
            ANTHROPIC,
            529,
            "Overloaded",
            data(
                "{\"type\":\"error\",\"error\":{\"details\":null,\"type\":\"overloaded_error\","
                    + "\"message\":\"Overloaded\"} }")),
        new Case(
            "Anthropic: api_error that speaks of overload",
            ANTHROPIC,
            503,
            "Overloaded",
            data(
                "{\"error\":{\"type\":\"api_error\",\"message\":\"Overloaded\"},"
                    + "\"type\":\"error\"}")),
        new Case(
            "OpenAI, chat stream: server_error",
            OPENAI,
            500,
            "had an error",
            data(
                ROLE,
                "{\"error\": {\"message\": \"The server had an error while processing\","
                    + " \"type\": \"server_error\"}}",
                "[DONE]")),
        new Case(
            "OpenAI, chat stream: rate_limit_exceeded",
            OPENAI,
            429,
            "try again in 2s",
            data(
                "{\"error\":{\"message\":\"Rate limit reached for m: Limit 9. Please try again in"
                    + " 2s.\",\"type\":\"tokens\",\"param\":null,"
                    + "\"code\":\"rate_limit_exceeded\"}}")),
        new Case(
            "OpenAI, insufficient_quota",
            OPENAI,
            429,
            "insufficient_quota",
            "{\"error\":{\"message\":\"You"
                + " exceeded\",\"type\":\"insufficient_quota\",\"param\":null,"
                + "\"code\":\"insufficient_quota\"}}"),
        new Case(
            "OpenAI, Responses: response.failed",
            OPENAI,
            429,
            "rate_limit_exceeded",
            CREATED
                + "event: response.failed\ndata: {\"type\":\"response.failed\",\"response\":"
                + "{\"id\":\"r\",\"status\":\"failed\",\"error\":{\"code\":\"rate_limit_exceeded\","
                + "\"message\":\"Try again\"},\"output\":[],\"usage\":null}}\n\n"),
        new Case(
            "OpenAI, Responses: error event",
            OPENAI,
            500,
            "server_error",
            CREATED
                + data(
                    "{\"type\":\"error\",\"sequence_number\":2,\"code\":\"server_error\","
                        + "\"message\":\"Sorry\",\"param\":null}")),
        new Case(
            "OpenAI, Responses: error event without a code",
            OPENAI,
            500,
            "Sorry",
            data("{\"type\":\"error\",\"code\":null,\"message\":\"Sorry\",\"param\":null}")),
        new Case(
            "GenericAgent #753: servers that are overloaded, in the Responses API",
            OPENAI,
            503,
            "overloaded",
            data(
                "{\"type\":\"error\",\"error\":{\"type\":\"service_unavailable_error\","
                    + "\"code\":\"server_is_overloaded\",\"message\":\"Our servers are currently"
                    + " overloaded.\",\"param\":null},\"sequence_number\":2}")),
        new Case(
            "OpenAI, Responses, whole",
            OPENAI,
            500,
            "server_error",
            "{\"id\":\"r\",\"object\":\"response\",\"status\":\"failed\",\"error\":{\"code\":"
                + "\"server_error\",\"message\":\"Sorry\"},\"output\":[],\"usage\":null}"),
        new Case(
            "OpenAI, Responses, whole, failed without saying why",
            OPENAI,
            500,
            "failed",
            "{\"id\":\"r\",\"object\":\"response\",\"status\":\"failed\",\"error\":null,"
                + "\"output\":[]}"),
        new Case(
            "OpenRouter, Errors: mid-stream",
            OPENAI,
            502,
            "Provider disconnected",
            data(
                "{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"provider\":\"p\",\"error\":"
                    + "{\"code\":502,\"message\":\"Provider disconnected\"},\"choices\":[{"
                    + "\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\"}]}")),
        new Case(
            "OpenRouter, Errors: in a choice",
            OPENAI,
            429,
            "temporarily rate-limited",
            "{\"id\":\"c\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
                + "\"content\":\"\"},\"finish_reason\":\"error\",\"error\":{\"code\":429,"
                + "\"message\":\"Provider returned error\",\"metadata\":{\"raw\":"
                + "\"m is temporarily rate-limited upstream\"}}}]}"),
        new Case(
            "OpenRouter, API reference: finish_reason error",
            OPENAI,
            502,
            "error",
            data("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"error\"}]}")),
        new Case(
            "litellm #24373, promptfoo #9905, pi #2313: Z.ai's network_error",
            OPENAI,
            502,
            "network_error",
            data("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"network_error\"}]}")),
        new Case(
            "DeepSeek, Create chat completion: insufficient_system_resource",
            OPENAI,
            503,
            "insufficient_system_resource",
            data(
                ROLE,
                "{\"choices\":[{\"index\":0,\"delta\":{},"
                    + "\"finish_reason\":\"insufficient_system_resource\"}]}")),
        new Case(
            "LiteLLM: code in quotes",
            OPENAI,
            429,
            "No deployments",
            data(
                "{\"error\": {\"message\": \"No deployments\", \"type\": \"None\","
                    + " \"param\": \"None\", \"code\": \"429\"}}")),
        new Case(
            "sglang #12081: error.object",
            OPENAI,
            400,
            "longer than",
            data(
                "{\"error\": {\"object\": \"error\", \"message\": \"The input is longer than\","
                    + " \"type\": \"BadRequestError\", \"param\": null, \"code\": 400}}",
                "[DONE]")),
        new Case(
            "vLLM before 0.10: object error",
            OPENAI,
            400,
            "maximum context",
            data(
                "{\"object\":\"error\",\"message\":\"This model's maximum context length is 9\","
                    + "\"type\":\"BadRequestError\",\"param\":null,\"code\":400}")),
        new Case(
            "llama.cpp #16109 (b5966): a field called error",
            OPENAI,
            400,
            "available context size",
            "error: {\"code\":400,\"message\":\"the request exceeds the available context size\","
                + "\"type\":\"invalid_request_error\"}\n\ndata: [DONE]\n\n"),
        new Case(
            "llama.cpp #14566: error in data",
            OPENAI,
            503,
            "Loading model",
            data(
                "{\"error\":{\"code\":503,\"message\":\"Loading model\","
                    + "\"type\":\"unavailable_error\"}}")),
        new Case(
            "Text Generation Inference: error as a text",
            OPENAI,
            503,
            "overloaded",
            data("{\"error\":\"Model is overloaded\",\"error_type\":\"overloaded\"}")),
        new Case(
            "Ollama, Errors: in a sequence of objects",
            OPENAI,
            500,
            "was encountered",
            "{\"model\":\"m\",\"response\":\" Yes\",\"done\":false}\n"
                + "{\"error\":\"an error was encountered while running the model\"}\n"),
        new Case(
            "Groq, API reference: x_groq.error",
            OPENAI,
            503,
            "over capacity",
            data(
                "{\"id\":\"c\",\"choices\":[],\"x_groq\":{\"id\":\"r\",\"error\":"
                    + "\"m is over capacity\"}}")),
        new Case(
            "Groq: an event called error",
            OPENAI,
            400,
            "Tool call validation failed",
            "event: error\ndata: {\"error\":{\"message\":\"Tool call validation failed\","
                + "\"type\":\"invalid_request_error\",\"code\":\"tool_use_failed\","
                + "\"status_code\":400}}\n\n"),
        new Case(
            "DashScope: an event called error with members of its own",
            OPENAI,
            429,
            "Throttling",
            "id:1\nevent:error\n:HTTP_STATUS/429\ndata:{\"code\":\"Throttling.RateQuota\","
                + "\"message\":\"Requests rate limit exceeded\",\"request_id\":\"r\"}\n\n"),
        new Case(
            "DashScope, whole",
            OPENAI,
            400,
            "InvalidParameter",
            "{\"code\":\"InvalidParameter\",\"message\":\"Bad\",\"request_id\":\"r\"}"),
        new Case(
            "Replicate and others: an event called error that is no JSON",
            OPENAI,
            500,
            "{}",
            "event: error\ndata: it broke\n\n"),
        new Case(
            "MiniMax, Error codes: 1002 beside an empty answer",
            OPENAI,
            429,
            "rate limit",
            "{\"id\":\"c\",\"choices\":null,\"created\":1,\"model\":\"m\",\"usage\":"
                + "{\"total_tokens\":0},\"base_resp\":{\"status_code\":1002,"
                + "\"status_msg\":\"rate limit\"}}"),
        new Case(
            "MiniMax, Error codes: 1008 in a stream",
            OPENAI,
            402,
            "insufficient balance",
            data(
                "{\"base_resp\":{\"status_code\":1008,"
                    + "\"status_msg\":\"insufficient balance\"}}")),
        new Case(
            "Zhipu: success is false",
            OPENAI,
            500,
            "boom",
            "{\"code\":500,\"msg\":\"boom\",\"success\":false}"),
        new Case(
            "Zhipu, Error codes: 1302",
            OPENAI,
            429,
            "1302",
            data("{\"error\":{\"code\":\"1302\",\"message\":\"slower, please\"}}")),
        new Case(
            "SiliconFlow: code and message",
            OPENAI,
            500,
            "20015",
            "{\"code\":20015,\"message\":\"something\",\"data\":null}"),
        new Case(
            "Baidu Qianfan: error_code, with status 200",
            OPENAI,
            429,
            "request limit",
            "{\"error_code\":18,\"error_msg\":\"Open api qps request limit reached: too many"
                + " requests\",\"id\":\"a\"}"),
        new Case(
            "Cloudflare: a list of errors",
            OPENAI,
            500,
            "No such model",
            "{\"result\":null,\"success\":false,\"errors\":[{\"code\":5007,"
                + "\"message\":\"No such model\"}],\"messages\":[]}"),
        new Case(
            "Azure: an error in quotes",
            OPENAI,
            429,
            "retry after",
            data("{\"error\":{\"code\":\"429\",\"message\":\"Please retry after 7 seconds.\"}}")),
        new Case(
            "Mistral, Errors",
            MISTRAL,
            429,
            "Service tier",
            data(
                "{\"object\":\"error\",\"message\":\"Service tier capacity exceeded\","
                    + "\"type\":\"service_tier_capacity_exceeded\",\"param\":null,"
                    + "\"code\":\"3505\",\"raw_status_code\":429}")),
        new Case(
            "Mistral, Conversations: conversation.response.error",
            MISTRAL,
            500,
            "broken",
            data("{\"type\":\"conversation.response.error\",\"message\":\"broken\",\"code\":500}")),
        new Case(
            "Gemini, stream of events",
            GEMINI,
            503,
            "UNAVAILABLE",
            data(
                "{\"error\":{\"code\":503,\"message\":\"The model is overloaded.\","
                    + "\"status\":\"UNAVAILABLE\"}}")),
        new Case(
            "Gemini, list",
            GEMINI,
            429,
            "retryDelay",
            "[{\"error\":{\"code\":429,\"message\":\"Quota\",\"status\":\"RESOURCE_EXHAUSTED\","
                + "\"details\":[{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\","
                + "\"retryDelay\":\"20s\"}]}}]"),
        new Case(
            "OmniRoute #4177: Gemini's error between the events of a stream",
            GEMINI,
            503,
            "high demand",
            data("{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\" job\"}]}}]}")
                + "{\n  \"error\": {\n    \"code\": 503,\n    \"message\": \"This model is"
                + " experiencing high demand.\",\n    \"status\": \"UNAVAILABLE\"\n  }\n}\n"));
  }

  private static AnswerReader read(ProviderProtocol protocol, String answer, int piece) {
    AnswerReader reader = protocol.answerReader();
    byte[] bytes = answer.getBytes(UTF_8);
    for (int at = 0; at < bytes.length; at += piece) {
      reader.feed(ByteBuffer.wrap(bytes, at, Math.min(piece, bytes.length - at)));
    }
    return reader;
  }

  private static void states(Case expected, AnswerReader reader) {
    AnswerError error = Objects.requireNonNull(reader.error());
    assertThat(error.json()).containsIgnoringCase(expected.says()).startsWith("{\"error\":");
    assertThat(error.status()).as(error.json()).isEqualTo(expected.status());
    assertThat(reader.inError()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("errors")
  void errorIsStated_isFound(Case error) {
    for (int piece : List.of(1, 7, 1 << 16)) {
      AnswerReader reader = read(protocol(error.dialect()), error.answer(), piece);
      reader.finish();
      states(error, reader);
    }
  }

  @ParameterizedTest
  @MethodSource("errors")
  void errorIsStated_isKnownBeforeTheAnswerEnds(Case error) {
    states(error, read(protocol(error.dialect()), error.answer(), 1 << 16));
  }

  @ParameterizedTest
  @MethodSource("errors")
  void errorIsStated_isHintedAtByItsBytes(Case error) {
    assertThat(ErrorHint.isIn(ByteBuffer.wrap(error.answer().getBytes(UTF_8)))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "",
        "{\"error\":null}",
        "{\"error\":{}}",
        "{\"error\":\"\"}",
        "{\"error\":false,\"message\":\"fine\"}",
        "{\"error\":{\"code\":0,\"message\":\"success\"}}",
        "{\"error\":{\"code\":\"\",\"message\":\"\"}}",
        "{\"errors\":[],\"choices\":[]}",
        "{\"code\":0,\"message\":\"Success\",\"choices\":[{\"message\":{\"content\":\"error\"}}]}",
        "{\"code\":200,\"msg\":\"ok\",\"success\":true,\"data\":{\"text\":\"x\"}}",
        "{\"choices\":[],\"base_resp\":{\"status_code\":0,\"status_msg\":\"\"}}",
        "{\"choices\":[{\"message\":{\"content\":\"{\\\"error\\\":{\\\"code\\\":500}}\"},"
            + "\"finish_reason\":\"stop\"}]}",
        "{\"choices\":[{\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"error\","
            + "\"arguments\":\"{\\\"code\\\":1}\"}}]},\"finish_reason\":\"tool_calls\"}]}",
        "{\"choices\":[{\"finish_reason\":\"content_filter\",\"content_filter_results\":"
            + "{\"error\":{\"code\":\"content_filter_error\",\"message\":\"not run\"}}}]}",
        "{\"object\":\"response\",\"status\":\"completed\",\"error\":null,\"output\":[{\"type\":"
            + "\"mcp_call\",\"error\":\"the tool said no\",\"output\":null}]}",
        "{\"object\":\"response\",\"status\":\"incomplete\",\"error\":null,"
            + "\"incomplete_details\":{\"reason\":\"max_output_tokens\"}}",
        "{\"type\":\"message\",\"content\":[{\"type\":\"web_search_tool_result\",\"content\":"
            + "{\"type\":\"web_search_tool_result_error\",\"error_code\":\"unavailable\"}}]}",
        "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"error\"}]}",
        "{\"candidates\":[{\"finishReason\":\"SAFETY\"}],\"promptFeedback\":{}}",
        "{\"candidates\":[{\"content\":{\"parts\":[{\"functionResponse\":{\"response\":"
            + "{\"error\":{\"code\":500}}}}]}}]}",
        "{\"type\":\"response.code_interpreter_call_code.done\",\"code\":\"raise Error()\"}",
        "{\"type\":\"response.output_item.done\",\"item\":{\"type\":\"mcp_call\","
            + "\"error\":{\"code\":1,\"message\":\"no\"}}}",
        "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"x\"},\"code\":1}",
        "{\"usage\":{\"error\":{\"code\":500,\"message\":\"no\"},\"input_tokens\":1}}",
        "data: {\"choices\":[{\"delta\":{\"content\":\"error\"},\"finish_reason\":null}]}\n\n"
            + "event: message\ndata: [DONE]\n\n",
        "event: errors\ndata: {}\n\n",
        "event: error_free\ndata: {}\n\n",
        ": error\n\nretry: 10\n\ndata: {}\n\n",
        "<html>error</html>",
      })
  void nothingIsWrong_isNoError(String answer) {
    for (ProviderProtocol each :
        List.of(
            DialectTable.OPENAI,
            DialectTable.ANTHROPIC,
            DialectTable.GEMINI,
            DialectTable.MISTRAL)) {
      for (int piece : List.of(1, 1 << 16)) {
        AnswerReader reader = read(each, answer, piece);
        reader.finish();
        assertThat(reader.error()).isNull();
        assertThat(reader.inError()).isFalse();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\n",
        "{\"error\n",
        "{]\n",
        "{} and more\n",
        "{\"a\":1}\n\n",
      })
  void jsonBetweenEventsThatIsBroken_costsNoEvent(String between) {
    String answer = TEXT + between + TEXT;
    for (int piece : List.of(1, 5, 1 << 16)) {
      AnswerReader reader = read(DialectTable.OPENAI, answer, piece);
      assertThat(reader.textTokens()).isEqualTo(4);
      assertThat(reader.error()).isNull();
    }
  }

  @Test
  void errorThatIsCutOff_countsAsFarAsItCame() {
    AnswerReader reader =
        read(
            DialectTable.ANTHROPIC,
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",",
            1 << 16);
    assertThat(reader.inError()).isTrue();
    reader.finish();
    assertThat(Objects.requireNonNull(reader.error()).status()).isEqualTo(529);
  }

  @Test
  void longWords_areKeptAsFarAsTheirBound() {
    String message = "a rate limit ".repeat(300);
    String raw = "x".repeat(1 << 20);
    AnswerReader reader =
        read(
            DialectTable.OPENAI,
            "{\"error\":{\"message\":\""
                + message
                + "\",\"metadata\":{\"raw\":\""
                + raw
                + "\"},\"code\":429}}",
            1 << 12);
    AnswerError error = Objects.requireNonNull(reader.error());
    assertThat(error.json()).contains(message.substring(0, 1_000)).hasSizeLessThan(2_500);
  }

  @Test
  void longWordsBehindTheKind_leaveItKnown() {
    AnswerReader reader =
        read(
            DialectTable.OPENAI,
            "{\"error\":{\"code\":429,\"message\":\"" + "y".repeat(1 << 20) + "\"}}",
            1 << 12);
    assertThat(Objects.requireNonNull(reader.error()).status()).isEqualTo(429);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\"}}\n\n",
        "data: {\"type\":\"ping\"}\n\n",
        "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{}}\n\n",
        ": keep-alive\n\n",
      })
  void openingEvents_areNoSignThatTheModelWorks(String answer) {
    assertThat(read(DialectTable.OPENAI, answer, 1 << 16).hasBegun()).isFalse();
    assertThat(ErrorHint.isIn(ByteBuffer.wrap(answer.getBytes(UTF_8)))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "data: {\"choices\":[{\"delta\":{\"content\":\"H\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
        "data: {\"type\":\"response.output_item.added\",\"item\":{}}\n\n",
        "data: {\"type\":\"content_block_start\",\"index\":0}\n\n",
      })
  void laterEvents_areASignThatTheModelWorks(String answer) {
    assertThat(read(DialectTable.OPENAI, answer, 1 << 16).hasBegun()).isTrue();
    assertThat(ErrorHint.isIn(ByteBuffer.wrap(answer.getBytes(UTF_8)))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        CREATED,
        "{\"id\":\"r\",\"object\":\"response\",\"error\" : null,\"output\":[]}",
        "data: {\"choices\":[{\"delta\":{\"content\":\"an error, says the code\"}}]}\n\n",
      })
  void ordinaryAnswers_giveNoHint(String answer) {
    assertThat(ErrorHint.isIn(ByteBuffer.wrap(answer.getBytes(UTF_8)))).isFalse();
  }
}
