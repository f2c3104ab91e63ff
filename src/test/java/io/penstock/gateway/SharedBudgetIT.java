package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RedisServer;
import io.penstock.fake.RunningGateway;
import io.penstock.key.KeySecrets;
import io.penstock.suite.Hostile;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that a client cannot use more of its budget than there is: it has many short answers first,
 * so that little is expected of the next ones, and then asks two gateways for many long ones at
 * once, with or without a maximum.
 */
class SharedBudgetIT {
  private static final long BUDGET = 20_000;
  private static final long MOST_OUTPUT = 1_000;
  private static final long ENDLESS = 50_000;
  private static final int AT_ONCE = 60;
  private static final int ROUNDS = 4;
  private static final Pattern MAXIMUM = Pattern.compile("\"max_tokens\":(\\d+)");
  private static final int INPUT = 4;

  /** The input that the provider adds where a request lets it search. */
  private static final int FOUND = 7_000;

  private static final String SEARCH = "web_search_options";

  private final String secret = KeySecrets.make();
  private final AtomicLong used = new AtomicLong();

  /**
   * Answers with as much output as the request allows; a request without a maximum allows a lot.
   */
  private void answer(RawUpstream self, ByteSocket byteSocket) {
    String request = self.read(byteSocket).text();
    Matcher maximum = MAXIMUM.matcher(request);
    long output = maximum.find() ? Long.parseLong(maximum.group(1)) : ENDLESS;
    int input = request.contains(SEARCH) ? FOUND : INPUT;
    used.addAndGet(input + output);
    String body =
        "{\"choices\":[{\"message\":{\"content\":\"hi\"},\"finish_reason\":\"length\"}],"
            + "\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d}}".formatted(input, output);
    byteSocket.send(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
            + "Content-Length: %d\r\n\r\n%s".formatted(body.length(), body));
  }

  private HttpMessage ask(RunningGateway gateway, String members) {
    String body =
        "{\"model\":\"m\",%s\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"
            .formatted(members);
    try (ByteSocket byteSocket = ByteSocket.to(gateway.port())) {
      String request = ByteSocket.request("POST", "/a/v1/chat/completions", body);
      String keyed =
          request.replace("Host: penstock\r\n", "Host: a\r\nx-penstock-key: " + secret + "\r\n");
      return byteSocket.send(keyed).answer();
    }
  }

  private RunningGateway start(RawUpstream upstream, String namespace) {
    return RunningGateway.start(
        """
        keys:
          - {name: alice, sha256: %s, budget_tokens_per_day: %d, max_output_tokens: %d}
        endpoints:
          - path: /a
            dialect: openai
            upstreams: [{id: u, url: "%s"}]
        """
            .formatted(KeySecrets.sha256(secret), BUDGET, MOST_OUTPUT, upstream.url()),
        "--penstock.redis.url=" + RedisServer.shared().url(),
        "--penstock.redis.namespace=" + namespace);
  }

  @BeforeEach
  void awaitLongDay() {
    PatientWaits.awaitLongDay(); // budgets of a day are spent
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"max_tokens\":1000,", "", "\"max_tokens\":null,"})
  void longAnswersAfterShortOnes_atTwoGatewaysAtOnce_useNoMoreThanTheBudget(String maximum)
      throws Exception {
    String namespace = "budget-" + UUID.randomUUID();
    try (RawUpstream upstream = RawUpstream.start(this::answer);
        RunningGateway one = start(upstream, namespace);
        RunningGateway other = start(upstream, namespace);
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int each = 0; each < 40; each++) {
        assertThat(ask(each % 2 == 0 ? one : other, "\"max_tokens\":1,").status()).isEqualTo(200);
      }
      int served = servedOfMany(clients, List.of(one, other), maximum);
      assertThat(used.get()).isLessThanOrEqualTo(BUDGET);
      assertThat(served).as("requests that were served").isGreaterThanOrEqualTo(10);
    }
  }

  private int servedOfMany(ExecutorService clients, List<RunningGateway> gateways, String members)
      throws ExecutionException, InterruptedException {
    int served = 0;
    for (int round = 0; round < ROUNDS; round++) {
      List<Future<HttpMessage>> answers = new ArrayList<>();
      for (int each = 0; each < AT_ONCE; each++) {
        RunningGateway gateway = gateways.get(each % gateways.size());
        answers.add(clients.submit(() -> ask(gateway, members)));
      }
      for (Future<HttpMessage> each : answers) {
        HttpMessage answer = each.get();
        served += answer.status() == 200 ? 1 : 0;
        if (answer.status() != 200) {
          assertThat(answer.header("x-penstock-reason")).isEqualTo("key_budget");
        }
      }
    }
    return served;
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void searchesAtTwoGatewaysAtOnce_passTheBudgetByOneEach() throws Exception {
    String namespace = "budget-" + UUID.randomUUID();
    try (RawUpstream upstream = RawUpstream.start(this::answer);
        RunningGateway one = start(upstream, namespace);
        RunningGateway other = start(upstream, namespace);
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      String members = "\"max_tokens\":100,\"%s\":{},".formatted(SEARCH);
      int served = servedOfMany(clients, List.of(one, other), members);
      assertThat(used.get()).isLessThan(BUDGET + 2 * (FOUND + 100));
      assertThat(served).isPositive();
    }
  }
}
