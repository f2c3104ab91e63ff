package io.penstock.gateway.forward;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pool.Addition;
import io.penstock.suite.Hostile;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests by which words a refusal of something that the gateway added is known. */
class RefusedAdditionsTest {
  private static final Set<Addition> ALL = EnumSet.allOf(Addition.class);
  private static final Set<Addition> MAXIMA =
      ALL.stream().filter(Addition::maximum).collect(Collectors.toSet());

  private final RefusedAdditions refused = new RefusedAdditions();

  private Set<Addition> note(Set<Addition> added, String error) {
    return refused.note("u", added, 400, error.getBytes(UTF_8));
  }

  /**
   * Errors of providers and servers. Sources of the first three: Azure OpenAI before 2024-08
   * (langchain-ai/langchain#23552); Azure OpenAI "on your data" (microsoft/semantic-kernel#10510);
   * the shape of FastAPI as Mistral answers (nomtek/mistralai_client_dart#44). The others are made
   * up after the words of common parsers.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":{\"message\":\"Unrecognized request argument supplied: stream_options\"}}",
        "{\"error\":{\"message\":\"Validation error at #/stream_options: Extra inputs are not"
            + " permitted\"}}",
        "{\"object\":\"error\",\"message\":{\"detail\":[{\"type\":\"extra_forbidden\","
            + "\"loc\":[\"body\",\"stream_options\"],\"msg\":\"Extra inputs are not permitted\","
            + "\"input\":{\"include_usage\":true}}]},\"type\":\"invalid_request_error\"}",
        "{\"message\":\"Stream options can only be defined when `stream=True`.\",\"code\":400}",
        "json: unknown field \"stream_options\"",
        "unknown field `stream_options`, expected one of `model`, `messages` at line 1 column 9",
        "{\"issues\":[{\"code\":\"unrecognized_keys\",\"keys\":[\"stream_options\"],\"path\":[]}]}",
        "The JSON property 'streamOptions' could not be mapped to any .NET member",
        "<html><body><h1>Bad Request</h1><p>Field <b>include_usage</b></p></body></html>",
        "{\"error\":\"x\",\"details\":{\"param\":\"STREAM-OPTIONS\"}}",
      })
  void optionForUsage_isKnownInAnyWords(String error) {
    assertThat(note(ALL, error)).containsExactly(Addition.STREAM_USAGE);
    assertThat(refused.at("u")).containsExactly(Addition.STREAM_USAGE);
    assertThat(refused.at("v")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":{\"message\":\"Unsupported parameter: 'seed'\"}}",
        "upstream_options",
        "stream_optionsets",
        "request id req_1",
        "x-ms-request-id: 7",
        "the maximum tokens_per_minute",
        "x_max_tokens",
        "max_tokens_to_sample",
      })
  void otherWords_refuseNothing(String error) {
    assertThat(note(ALL, error)).isEmpty();
    assertThat(refused.withheld("u", Set.of())).isEmpty();
  }

  @Test
  void onlyAdditionsOfTheAttempt_areRefused() {
    assertThat(note(Set.of(Addition.TRACE), "Unknown parameter: stream_options")).isEmpty();
  }

  /**
   * Source: langchain-ai/langchainjs#6533, where the server answers with nothing but its status.
   */
  @Test
  void refusalOfABodyWithoutWords_isTakenForOneOfTheOption() {
    byte[] nothing = {};
    assertThat(refused.note("u", ALL, 400, nothing)).containsExactly(Addition.STREAM_USAGE);
    assertThat(refused.note("u", ALL, 422, nothing)).containsExactly(Addition.STREAM_USAGE);
    assertThat(refused.note("u", ALL, 500, nothing)).isEmpty();
    assertThat(refused.note("u", ALL, 404, nothing)).isEmpty();
  }

  /**
   * Sources, in this order: OpenAI (fish2018/YPrompt#26); Mistral (editor-code-assistant/eca#231);
   * vLLM before it knew the name (voideditor/void#128); ChatGPT's backend (RayBytes/ChatMock#103);
   * OpenAI's responses (experientiallabs/experiential#538); Gemini, for a member that it does not
   * know; Bedrock.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "MAX_TOKENS|Unsupported parameter: 'max_tokens' is not supported with this model. Use"
            + " 'max_completion_tokens' instead.",
        "MAX_COMPLETION_TOKENS|{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\","
            + "\"max_completion_tokens\"],\"msg\":\"Extra inputs are not permitted\"}]}",
        "MAX_COMPLETION_TOKENS|[{'type': 'extra_forbidden', 'loc': ('body',"
            + " 'max_completion_tokens'), 'msg': 'Extra inputs are not permitted'}]",
        "MAX_OUTPUT_TOKENS|{\"detail\":\"Unsupported parameter: max_output_tokens\"}",
        "MAX_TOKENS|Unknown parameter: 'max_tokens'.",
        "MAX_OUTPUT_TOKENS|Invalid JSON payload received. Unknown name \\\"maxOutputTokens\\\" at"
            + " 'generation_config': Cannot find field.",
        "MAX_TOKENS|Malformed input request: extraneous key [max_tokens] is not permitted",
      })
  void nameOfAMaximumThatIsNotKnown_isLeftOut_andOnlyThat(Addition name, String error) {
    assertThat(note(Set.of(name, Addition.REQUEST_ID), error)).containsExactly(name);
    assertThat(refused.at("u")).containsExactly(name);
    assertThat(refused.withheld("u", Set.of())).containsExactly(name);
  }

  /**
   * Sources, in this order: DeepSeek (deepseek-ai/DeepSeek-V3#69); Ollama
   * (DaviRain-Su/hyper-grok-build#44); Groq, "API error codes"; OpenAI; vLLM; Gemini on Vertex AI;
   * Alibaba Cloud, "Error messages".
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "MAX_TOKENS|Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        "MAX_TOKENS|max_tokens (384000) exceeds model's maximum output tokens (65536)",
        "MAX_TOKENS|`max_tokens` must be less than or equal to `8192`, the maximum value for"
            + " `max_tokens` is less than the `context_window` for this model",
        "MAX_TOKENS|max_tokens is too large: 100000. This model supports at most 4096 completion"
            + " tokens, whereas you provided 100000.",
        "MAX_COMPLETION_TOKENS|'max_tokens' or 'max_completion_tokens' is too large: 600. This"
            + " model's maximum context length is 8192 tokens and your request has 8000 input",
        "MAX_OUTPUT_TOKENS|Unable to submit request because it has a maxOutputTokens value of"
            + " 100000 but the supported range is from 1 (inclusive) to 8193 (exclusive).",
        "MAX_TOKENS|Range of max_tokens should be [1, 8192]",
      })
  void maximumThatIsTooLarge_isLeftOutUnderEveryName_forThisRequestOnly(
      Addition name, String error) {
    assertThat(note(Set.of(name), error)).containsExactly(name);
    assertThat(refused.at("u")).as("it says nothing about other requests").isEmpty();
    assertThat(refused.withheld("u", Set.of(Addition.TRACE)))
        .containsAll(MAXIMA)
        .contains(Addition.TRACE)
        .hasSize(MAXIMA.size() + 1);
  }

  /** Sources: vLLM, {@code sampling_params.py}; Anthropic, "Extended thinking"; OpenAI. */
  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "min_tokens must be less than or equal to max_tokens=100, got 5000.",
        "`max_tokens` must be greater than `thinking.budget_tokens`.",
        "Invalid 'max_tokens': integer below minimum value. Expected a value >= 16, but got 5"
            + " instead.",
        "min_tokens is not supported with max_tokens, unknown context",
      })
  void maximumThatIsTooSmall_orContradictsTheClient_stays(String error) {
    assertThat(note(ALL, error)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Addition.class)
  void everyAddition_isKnownByItsOwnName(Addition addition) {
    assertThat(note(Set.of(addition), "Unknown: '" + addition.text() + "'"))
        .containsExactly(addition);
  }

  @Test
  void statuses_thatMayRefuseAnAddition() {
    assertThat(Arrays.stream(new int[] {400, 401, 403, 404, 406, 415, 422, 431, 500, 501}))
        .allMatch(RefusedAdditions::may);
    assertThat(Arrays.stream(new int[] {200, 302, 408, 429, 502, 503, 504, 529}))
        .noneMatch(RefusedAdditions::may);
  }
}
