package io.penstock.clients;

import static io.penstock.GatewayServer.MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.anthropic.models.messages.MessageCreateParams;
import com.openai.core.JsonValue;
import com.openai.core.RequestOptions;
import com.openai.core.http.Headers;
import com.openai.errors.BadRequestException;
import com.openai.errors.InternalServerException;
import com.openai.errors.NotFoundException;
import com.openai.errors.OpenAIIoException;
import com.openai.errors.RateLimitException;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import io.penstock.config.ConfigurationReloader;
import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.EndpointTotals;
import io.penstock.event.Event;
import io.penstock.fake.OneFileGateway;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RunningGateway;
import io.penstock.mainjob.ClientCall;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the providers' own clients get answers and typed errors through the gateway. */
class SdkIT {
  private static final String ROUTES =
      """
      endpoints:
        - path: /openai
          dialect: openai
          upstreams: [{id: openai, url: "mock://openai?tokens=40"}]
        - path: /anthropic
          dialect: anthropic
          upstreams: [{id: anthropic, url: "mock://anthropic?tokens=40"}]
        - path: /slow-anthropic
          dialect: anthropic
          max_queue_size: 1
          upstreams: [{id: slow-a, url: "mock://anthropic?tokens=4", rpm_limit: 1}]
        - path: /small
          dialect: openai
          upstreams: [{id: small, url: "mock://openai?tokens=4", tpm_limit: 50}]
      """;

  @TempDir private static Path directory;

  private static OneFileGateway oneFileGateway;
  private final List<SdkClients> opened = new ArrayList<>();

  /**
   * Returns the routes and one slow endpoint: each test has one for itself, so that none waits
   * long.
   */
  private static String routes(int rpm, String slow) {
    return ROUTES
        + """
          - path: /%1$s
            dialect: openai
            max_queue_size: 1
            upstreams: [{id: %1$s, url: "mock://openai?tokens=4", rpm_limit: %2$d}]
        """
            .formatted(slow, rpm);
  }

  @BeforeAll
  static void start() throws IOException {
    oneFileGateway = OneFileGateway.start(directory, ROUTES, MINUTE);
  }

  @AfterAll
  static void stop() throws IOException {
    // Removes endpoints, so that requests that still wait are refused: a stop would wait for them.
    oneFileGateway.rewrite(ROUTES.substring(0, ROUTES.indexOf("  - path: /slow-anthropic")));
    oneFileGateway.close();
  }

  @AfterEach
  void close() {
    opened.forEach(SdkClients::close);
  }

  private SdkClients clients(String path) {
    SdkClients clients = new SdkClients(oneFileGateway.url(path));
    opened.add(clients);
    return clients;
  }

  private static ChatCompletionCreateParams chat(String text) {
    return chat("gpt-4o", text);
  }

  private static ChatCompletionCreateParams chat(String model, String text) {
    return ChatCompletionCreateParams.builder()
        .model(model)
        .addUserMessage(text)
        .maxCompletionTokens(20)
        .build();
  }

  private static MessageCreateParams message() {
    return MessageCreateParams.builder()
        .model("claude-sonnet-4-20250514")
        .addUserMessage("Hello")
        .maxTokens(20)
        .build();
  }

  private void until(Predicate<Event> wanted, Runnable action) throws InterruptedException {
    CountDownLatch seen = new CountDownLatch(1);
    try (var _ =
        oneFileGateway
            .events()
            .subscribe(
                event -> {
                  if (wanted.test(event)) {
                    seen.countDown();
                  }
                })) {
      action.run();
      PatientWaits.await(seen);
    }
  }

  /** Sends a chat from a thread of its own and returns once it is parked. */
  private CompletableFuture<Object> parked(String path) throws InterruptedException {
    SdkClients clients = clients(path);
    CompletableFuture<Object> answer = new CompletableFuture<>();
    until(
        event -> event instanceof Event.Queued queued && queued.endpoint().equals(path),
        () ->
            Thread.startVirtualThread(
                () -> {
                  try {
                    answer.complete(
                        path.endsWith("anthropic")
                            ? clients.anthropic().messages().create(message())
                            : clients.openAi().chat().completions().create(chat("Hello")));
                  } catch (RuntimeException error) {
                    answer.complete(error);
                  }
                }));
    return answer;
  }

  @Test
  void everyKindOfCall_isAnsweredAndItsUsageSettled() throws InterruptedException {
    SdkClients openAi = clients("/openai");
    SdkClients anthropic = clients("/anthropic");
    // Often: an end that is reported before the last part was read shows only from time to time.
    for (int i = 0; i < 40; i++) {
      boolean stream = i % 2 == 1;
      ClientCall chat = new ClientCall(ClientCall.Kind.CHAT, 12, 20, 1, stream);
      settles("/openai", 32, 32, () -> openAi.perform(chat));
      ClientCall message = new ClientCall(ClientCall.Kind.MESSAGE, 12, 20, 1, stream);
      settles("/anthropic", 32, 32, () -> anthropic.perform(message));
    }
    // The mock's answer has 40 tokens for a stated maximum of 100; the answers before were cut at
    // theirs.
    ClientCall generous = new ClientCall(ClientCall.Kind.CHAT, 12, 100, 1, false);
    settles("/openai", 112, 52, () -> openAi.perform(generous));
    ClientCall embedding = new ClientCall(ClientCall.Kind.EMBEDDING, 12, 0, 1, false);
    settles("/openai", 12, 12, () -> openAi.perform(embedding));
    assertIdle("/openai");
    assertIdle("/anthropic");
  }

  private void settles(String path, long reserved, long used, Runnable call)
      throws InterruptedException {
    CompletableFuture<Event.Settled> settled = new CompletableFuture<>();
    until(
        event -> {
          if (event instanceof Event.Settled each && each.endpoint().equals(path)) {
            settled.complete(each);
          }
          return event instanceof Event.Served served && served.endpoint().equals(path);
        },
        call);
    assertThat(settled.join().reservedTokens()).isEqualTo(reserved);
    assertThat(settled.join().usedTokens()).isEqualTo(used);
    assertThat(settled.join().overrunTokens()).isZero();
  }

  private static void assertIdle(String path) {
    EndpointTotals endpointTotals = oneFileGateway.endpoint(path).totals();
    for (TicketFate fate : List.of(TicketFate.WAITING, TicketFate.RUNNING)) {
      assertThat(endpointTotals.requests(fate)).isZero();
      assertThat(endpointTotals.tokens(fate)).isZero();
      assertThat(endpointTotals.bytes(fate)).isZero();
    }
  }

  @Test
  void queueFull_isARateLimitErrorThatSaysWhenToComeBack() throws Exception {
    oneFileGateway.rewrite(routes(1, "full"));
    Ticker since = Ticker.system();
    clients("/full").openAi().chat().completions().create(chat("Hello"));
    CompletableFuture<Object> waits = parked("/full");
    SdkClients more = clients("/full");
    RateLimitException full =
        catchThrowableOfType(
            RateLimitException.class,
            () -> more.openAi().chat().completions().create(chat("Hello")));
    assertThat(full.code()).contains("queue_full");
    assertAdvised(full.headers(), since.nanos());
    RateLimitException streamed =
        catchThrowableOfType(
            RateLimitException.class,
            () -> {
              try (var stream = more.openAi().chat().completions().createStreaming(chat("Hello"))) {
                stream.stream().forEach(chunk -> {});
              }
            });
    assertThat(streamed.code()).contains("queue_full");
    assertThat(waits).isNotDone();
  }

  /**
   * Checks the advice of a refusal; the minute of the last release began no longer ago than {@code
   * sinceNanos}.
   */
  private static void assertAdvised(Headers headers, long sinceNanos) {
    assertThat(headers.values("x-penstock-reason")).containsExactly("queue_full");
    assertThat(headers.values("x-request-id")).hasSize(1);
    long seconds = Long.parseLong(headers.values("retry-after").getFirst());
    long millis = Long.parseLong(headers.values("retry-after-ms").getFirst());
    assertThat(seconds).isBetween(59 - sinceNanos / 1_000_000_000, 62L);
    assertThat(millis).isBetween((seconds - 1) * 1_000, seconds * 1_000);
  }

  @Test
  void queueFull_ofAnthropic_isItsOwnRateLimitError() throws InterruptedException {
    clients("/slow-anthropic").anthropic().messages().create(message());
    CompletableFuture<Object> waits = parked("/slow-anthropic");
    SdkClients more = clients("/slow-anthropic");
    var full =
        catchThrowableOfType(
            com.anthropic.errors.RateLimitException.class,
            () -> more.anthropic().messages().create(message()));
    assertThat(full.body().toString()).contains("rate_limit_error");
    assertThat(full.headers().values("x-penstock-reason")).containsExactly("queue_full");
    assertThat(full.headers().values("retry-after")).hasSize(1);
    assertThat(full.headers().values("retry-after-ms")).hasSize(1);
    assertThat(waits).isNotDone();
  }

  @Test
  void bodyNotAsTheDialectSays_isABadRequest() {
    var params =
        ChatCompletionCreateParams.builder()
            .model("gpt-4o")
            .addUserMessage("Hello")
            .putAdditionalBodyProperty("Model", JsonValue.from("gpt-4o"))
            .build();
    BadRequestException bad =
        catchThrowableOfType(
            BadRequestException.class,
            () -> clients("/openai").openAi().chat().completions().create(params));
    assertThat(bad.headers().values("x-penstock-reason")).containsExactly("bad_request");
    assertThat(bad.code()).contains("bad_request");
    var negative =
        MessageCreateParams.builder()
            .model("claude-sonnet-4-20250514")
            .addUserMessage("Hello")
            .maxTokens(-1)
            .build();
    var anthropicBad =
        catchThrowableOfType(
            com.anthropic.errors.BadRequestException.class,
            () -> clients("/anthropic").anthropic().messages().create(negative));
    assertThat(anthropicBad.body().toString()).contains("invalid_request_error");
  }

  @Test
  void unknownEndpoint_isNotFound() {
    NotFoundException missing =
        catchThrowableOfType(
            NotFoundException.class,
            () -> clients("/nowhere").openAi().chat().completions().create(chat("Hello")));
    assertThat(missing.headers().values("x-penstock-reason")).containsExactly("no_endpoint");
    var anthropicMissing =
        catchThrowableOfType(
            com.anthropic.errors.NotFoundException.class,
            () -> clients("/nowhere").anthropic().messages().create(message()));
    assertThat(anthropicMissing.headers().values("x-penstock-reason"))
        .containsExactly("no_endpoint");
  }

  @Test
  void inputThatCanNeverFit_isRefusedAtOnceAndNotToBeRetried() {
    // an unknown model has no tokenizer: a token is assumed to be four bytes
    String model = "unknown-model";
    BadRequestException never =
        catchThrowableOfType(
            BadRequestException.class,
            () ->
                clients("/small")
                    .openAi()
                    .chat()
                    .completions()
                    .create(chat(model, "x".repeat(4 * 47))));
    assertThat(never.code()).contains("cost_exceeds_capacity");
    assertThat(never.headers().values("x-should-retry")).containsExactly("false");
    assertThat(never.headers().values("retry-after")).isEmpty();
    assertThat(
            clients("/small").openAi().chat().completions().create(chat(model, "x".repeat(4 * 46))))
        .isNotNull();
  }

  @Test
  void cannotMakeTheTimeoutOfTheLibrary_isRefusedAtOnceAndMayBeRetried() throws IOException {
    oneFileGateway.rewrite(routes(1, "soon"));
    SdkClients clients = clients("/soon");
    Ticker since = Ticker.system();
    clients.openAi().chat().completions().create(chat("Hello"));
    var options = RequestOptions.builder().timeout(Duration.ofSeconds(20)).build();
    RateLimitException refused =
        catchThrowableOfType(
            RateLimitException.class,
            () -> clients.openAi().chat().completions().create(chat("Hello"), options));
    assertThat(refused.code()).contains("estimated_wait_exceeds_timeout");
    assertThat(refused.headers().values("x-should-retry")).isEmpty();
    assertThat(refused.headers().values("x-penstock-retry-at")).hasSize(1);
    assertThat(Integer.parseInt(refused.headers().values("retry-after").getFirst()))
        .as("a minute less the timeout")
        .isBetween((int) (39 - since.nanos() / 1_000_000_000), 43);
  }

  @Test
  void waitedUntilItsTimeout_isARateLimitErrorThatMayBeRetried() throws IOException {
    oneFileGateway.rewrite(routes(1, "late"));
    SdkClients clients = clients("/late");
    clients.openAi().chat().completions().create(chat("Hello"));
    RateLimitException expired = expired(clients);
    assertThat(expired.code()).contains("queue_timeout");
    assertThat(expired.headers().values("x-should-retry")).isEmpty();
    assertThat(expired.headers().values("retry-after")).hasSize(1);
  }

  /**
   * Makes a call that skips the estimate and waits until the gateway gives up. The library states
   * its timeout, and the gateway leaves a second of that for the answer: if the machine is too slow
   * for that, the call is repeated with a longer timeout.
   */
  private static RateLimitException expired(SdkClients clients) {
    for (int seconds = 2; true; seconds *= 2) {
      var options = RequestOptions.builder().timeout(Duration.ofSeconds(seconds)).build();
      try {
        var call = chat("Hello").toBuilder().putAdditionalHeader("x-penstock-timeout", "0").build();
        clients.openAi().chat().completions().create(call, options);
        throw new AssertionError("it was answered");
      } catch (RateLimitException expired) {
        return expired;
      } catch (OpenAIIoException tooLate) {
        assertThat(seconds).as("seconds that the library waited: %s", tooLate).isLessThan(20);
        EndpointTotals endpointTotals = oneFileGateway.endpoint("/late").totals();
        RunningGateway.awaiting().until(() -> endpointTotals.requests(TicketFate.WAITING) == 0);
      }
    }
  }

  @Test
  void routesRewritten_higherLimitReleasesThoseWhoWait() throws Exception {
    oneFileGateway.rewrite(routes(1, "more"));
    clients("/more").openAi().chat().completions().create(chat("Hello"));
    CompletableFuture<Object> waits = parked("/more");
    oneFileGateway.rewrite(routes(100_000, "more"));
    assertThat(PatientWaits.get(waits)).isNotInstanceOf(RuntimeException.class);
  }

  @Test
  void routesBroken_oldOnesGoOn() throws Exception {
    oneFileGateway.rewrite(routes(1, "kept"));
    clients("/kept").openAi().chat().completions().create(chat("Hello"));
    CompletableFuture<Object> waits = parked("/kept");
    assertThat(oneFileGateway.rewrite(routes(-1, "kept")))
        .isInstanceOf(ConfigurationReloader.Result.Refused.class);
    assertThat(waits).isNotDone();
    assertThat(clients("/openai").perform(ClientCall.chats(1, new Random(1)).getFirst()))
        .isPositive();
    oneFileGateway.rewrite(routes(100_000, "kept"));
    assertThat(PatientWaits.get(waits)).isNotInstanceOf(RuntimeException.class);
  }

  @Test
  void endpointRemoved_thoseWhoWaitAreToldSo() throws Exception {
    oneFileGateway.rewrite(routes(1, "gone"));
    clients("/gone").openAi().chat().completions().create(chat("Hello"));
    CompletableFuture<Object> waits = parked("/gone");
    oneFileGateway.rewrite(ROUTES);
    Object outcome = PatientWaits.get(waits);
    assertThat(outcome).isInstanceOf(InternalServerException.class);
    var removed = (InternalServerException) outcome;
    assertThat(removed.statusCode()).isEqualTo(503);
    assertThat(removed.headers().values("x-penstock-reason")).containsExactly("endpoint_removed");
    assertThat(removed.headers().values("retry-after")).hasSize(1);
  }
}
