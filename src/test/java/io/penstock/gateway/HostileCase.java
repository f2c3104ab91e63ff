package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.LogCapture;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.gateway.body.BodyBudget;
import io.penstock.suite.TaggedTests;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Base of tests with a gateway in front of an upstream that follows the test's script. After each
 * test everything must be accounted for, nothing may be in use, and the log must have no stack
 * trace and no secret.
 */
@Tag(TaggedTests.READS_LOG)
@Isolated("reads the log of the JVM")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
abstract class HostileCase {
  static final String CLIENT_SECRET = "sk-client-secret";
  static final String UPSTREAM_SECRET = "sk-upstream";
  static final String PROMPT = "the-private-prompt";
  static final String CHAT = "/openai/v1/chat/completions";
  static final String MESSAGES = "/anthropic/v1/messages";
  static final String FILES = "/openai/v1/files";
  static final String ASK =
      "{\"model\":\"m\",\"max_tokens\":5,\"messages\":[{\"role\":\"user\",\"content\":\""
          + PROMPT
          + "\"}]}";
  static final String OK =
      "HTTP/1.1 200 OK\r\n"
          + "Content-Type: application/json\r\n"
          + "Connection: close\r\n"
          + "Content-Length: 2\r\n\r\n"
          + "{}";

  private static final Pattern ROUTE_FILE = Pattern.compile("/routes\\d+\\.yaml");

  final RawUpstream upstream = RawUpstream.start(RawUpstream.answering(OK));
  RunningGateway gateway;
  LogCapture logged;

  /** Returns the routes; {@code %1$s} is the upstream's address. */
  abstract String routes();

  /** Returns more arguments for the gateway. */
  String[] arguments() {
    return new String[0];
  }

  @BeforeAll
  void start() {
    gateway = RunningGateway.start(routes().formatted(upstream.url()), arguments());
  }

  @AfterAll
  void stop() {
    gateway.close();
    upstream.close();
  }

  @BeforeEach
  void listen() {
    logged = LogCapture.listen();
  }

  @AfterEach
  void balances() {
    int unasked = upstream.drain();
    upstream.script(RawUpstream.answering(OK));
    gateway.awaitBalance();
    BodyBudget bodies = gateway.bean(BodyBudget.class);
    RunningGateway.awaiting().until(() -> bodies.heldBytes() == 0);
    logged.close();
    assertThat(logged.traces())
        .filteredOn(trace -> !isLeakOfRedisson(trace) && !isOfAnotherGateway(trace))
        .as("without what other tests of this JVM leave: a cut link to Redis, a file that is gone")
        .isEmpty();
    assertThat(logged.lines())
        .noneMatch(
            line ->
                line.contains(CLIENT_SECRET)
                    || line.contains(UPSTREAM_SECRET)
                    || line.contains(PROMPT));
    assertThat(unasked).as("requests at the upstream").isZero();
  }

  private static boolean isLeakOfRedisson(String trace) {
    return trace.contains("ResourceLeakDetector") && trace.contains("org.redisson.");
  }

  /** Returns whether a line names the route file of a gateway that another test leaves to stop. */
  private boolean isOfAnotherGateway(String trace) {
    String own = gateway.routes().toString();
    return ROUTE_FILE.matcher(trace).results().anyMatch(file -> !own.endsWith(file.group()));
  }

  ByteSocket connect() {
    return ByteSocket.to(gateway.port());
  }

  HttpMessage ask(String raw) {
    try (ByteSocket byteSocket = connect()) {
      return byteSocket.send(raw).answer();
    }
  }

  HttpMessage post(String target, String body) {
    return ask(ByteSocket.request("POST", target, body));
  }

  /** Checks that an answer is a refusal with everything that belongs to one. */
  void refused(HttpMessage answer, int status, String reason) {
    assertThat(answer.start()).contains(" " + status + " ");
    assertThat(answer.header("x-penstock-reason")).isEqualTo(reason);
    assertThat(answer.header("x-request-id")).isNotBlank();
    assertThat(answer.text()).isNotBlank();
  }
}
