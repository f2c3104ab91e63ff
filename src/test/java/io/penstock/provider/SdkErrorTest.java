package io.penstock.provider;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.errors.AnthropicServiceException;
import com.anthropic.models.messages.MessageCreateParams;
import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.errors.OpenAIServiceException;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks that the providers' own libraries raise their own typed errors for refusals. */
class SdkErrorTest {
  private static final WireMockServer SERVER =
      new WireMockServer(WireMockConfiguration.options().dynamicPort().bindAddress("127.0.0.1"));

  @BeforeAll
  static void start() {
    SERVER.start();
  }

  @AfterAll
  static void stop() {
    SERVER.stop();
  }

  private static final RefusedCall CALL = new RefusedCall("r-1", null, "m", "sk-********wxyz");

  private static void refuse(Dialect dialect, RefusalReason reason) {
    RefusalBody body =
        ProviderProtocol.of(dialect).refusalBody(Refusal.of(reason, "why it was refused"), CALL);
    SERVER.resetAll();
    SERVER.stubFor(
        any(anyUrl())
            .willReturn(
                aResponse()
                    .withStatus(body.status())
                    .withHeader("content-type", body.contentType())
                    .withBody(body.bytes())));
  }

  @ParameterizedTest
  @CsvSource({
    "BAD_REQUEST, BadRequestException, invalid_request_error, bad_request",
    "UNAUTHENTICATED, UnauthorizedException, invalid_request_error, invalid_api_key",
    "FORBIDDEN_MODEL, PermissionDeniedException, invalid_request_error, model_not_found",
    "FORBIDDEN_ENDPOINT, PermissionDeniedException, request_forbidden, forbidden_endpoint",
    "FORBIDDEN_CALL, PermissionDeniedException, request_forbidden, forbidden_call",
    "NO_UPSTREAM_FOR_MODEL, NotFoundException, invalid_request_error, model_not_found",
    "BODY_TOO_LARGE, UnexpectedStatusCodeException, invalid_request_error, body_too_large",
    "QUEUE_FULL, RateLimitException, requests, queue_full",
    "QUEUE_TIMEOUT, RateLimitException, requests, queue_timeout",
    "COST_EXCEEDS_CAPACITY, BadRequestException, invalid_request_error, cost_exceeds_capacity",
    "UPSTREAM_UNREACHABLE, InternalServerException, server_error, upstream_unreachable",
    "UPSTREAM_ACCOUNT, InternalServerException, server_error, upstream_account",
    "SHUTTING_DOWN, InternalServerException, server_error, shutting_down",
    "UPSTREAM_TIMEOUT, InternalServerException, server_error, upstream_timeout",
  })
  void openAi_refused_raisesItsTypedError(
      RefusalReason reason, String exception, String type, String code) {
    refuse(DialectTable.OPENAI, reason);
    OpenAIClient client =
        OpenAIOkHttpClient.builder()
            .baseUrl(SERVER.baseUrl() + "/v1")
            .apiKey("k")
            .maxRetries(0)
            .build();
    ChatCompletionCreateParams request =
        ChatCompletionCreateParams.builder().model("gpt-4o").addUserMessage("Hello").build();
    Throwable whole = catchThrowable(() -> client.chat().completions().create(request));
    assertOpenAi(whole, reason, exception, type, code);
    Throwable stream =
        catchThrowable(
            () -> {
              try (var events = client.chat().completions().createStreaming(request)) {
                events.stream().forEach(event -> {});
              }
            });
    assertOpenAi(stream, reason, exception, type, code);
    client.close();
  }

  private static void assertOpenAi(
      Throwable thrown, RefusalReason reason, String exception, String type, String code) {
    assertThat(thrown).isInstanceOf(OpenAIServiceException.class);
    assertThat(thrown.getClass().getSimpleName()).isEqualTo(exception);
    OpenAIServiceException error = (OpenAIServiceException) thrown;
    assertThat(error.statusCode()).isEqualTo(reason.finalStatus());
    assertThat(error.code()).contains(code);
    assertThat(error.type()).contains(type);
    assertThat(error.param()).isEmpty();
    assertThat(error.getMessage()).containsIgnoringCase("why it was refused");
  }

  @ParameterizedTest
  @CsvSource({
    "BAD_REQUEST, BadRequestException, invalid_request_error",
    "NO_UPSTREAM_FOR_MODEL, NotFoundException, not_found_error",
    "BODY_TOO_LARGE, ContentTooLargeException, request_too_large",
    "QUEUE_FULL, RateLimitException, rate_limit_error",
    "COST_EXCEEDS_CAPACITY, BadRequestException, invalid_request_error",
    "UPSTREAM_UNREACHABLE, InternalServerException, api_error",
    "UPSTREAM_ACCOUNT, InternalServerException, api_error",
    "SHUTTING_DOWN, ServiceUnavailableException, overloaded_error",
    "UPSTREAM_TIMEOUT, GatewayTimeoutException, timeout_error",
  })
  void anthropic_refused_raisesItsTypedError(RefusalReason reason, String exception, String type) {
    refuse(DialectTable.ANTHROPIC, reason);
    AnthropicClient client =
        AnthropicOkHttpClient.builder().baseUrl(SERVER.baseUrl()).apiKey("k").maxRetries(0).build();
    MessageCreateParams request =
        MessageCreateParams.builder()
            .model("claude-sonnet-4-20250514")
            .maxTokens(10)
            .addUserMessage("Hello")
            .build();
    Throwable whole = catchThrowable(() -> client.messages().create(request));
    assertAnthropic(whole, reason, exception, type);
    Throwable stream =
        catchThrowable(
            () -> {
              try (var events = client.messages().createStreaming(request)) {
                events.stream().forEach(event -> {});
              }
            });
    assertAnthropic(stream, reason, exception, type);
    client.close();
  }

  private static void assertAnthropic(
      Throwable thrown, RefusalReason reason, String exception, String type) {
    assertThat(thrown).isInstanceOf(AnthropicServiceException.class);
    assertThat(thrown.getClass().getSimpleName()).isEqualTo(exception);
    AnthropicServiceException error = (AnthropicServiceException) thrown;
    assertThat(error.statusCode()).isEqualTo(reason.finalStatus());
    assertThat(error.body().toString()).contains(type, "why it was refused", "r-1");
  }
}
