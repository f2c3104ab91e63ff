package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.MetricsScrape;
import io.penstock.fake.RunningGateway;
import io.penstock.pool.ProbeResult;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that unhealthy upstreams are probed, and that no request of a client does that. */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class UpstreamProbeIT extends HostileCase {
  private static final String DOWN =
      "HTTP/1.1 500 X\r\nContent-Type: application/json\r\nConnection: close\r\n"
          + "Content-Length: 2\r\n\r\n{}";
  private static final String NOT_FOUND = DOWN.replace("500", "404");
  private static final double SECOND = 1e9;

  /** Requests at the upstream, in order of arrival. */
  private final List<HttpMessage> asked = new CopyOnWriteArrayList<>();

  /** Connections that ended without a request. */
  private final AtomicInteger silent = new AtomicInteger();

  @Override
  String routes() {
    return """
    defaults: {max_wait: 0.2}
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: openai, url: "%1$s", api_key: "${SECRET}"}]
      - path: /versioned
        dialect: openai
        upstreams: [{id: versioned, url: "%1$s/v1/", api_key: "${SECRET}"}]
      - path: /anthropic
        dialect: anthropic
        upstreams: [{id: anthropic, url: "%1$s", api_key: "${SECRET}"}]
      - path: /gemini
        dialect: gemini
        upstreams: [{id: gemini, url: "%1$s", api_key: "${SECRET}"}]
      - {path: /none, dialect: none, upstreams: [{id: none, url: "%1$s"}]}
      - {path: /own, dialect: openai, upstreams: [{id: own, url: "%1$s", api_key: passthrough}]}
      - {path: /mock, dialect: openai, upstreams: [{id: mock, url: "mock://openai?error_rate=1"}]}
      - {path: /removed, dialect: openai, upstreams: [{id: removed, url: "%1$s"}]}
    """;
  }

  private void answering(String toProbes, String toClients) {
    upstream.script(
        (self, byteSocket) -> {
          HttpMessage request = requestOf(byteSocket);
          asked.add(request);
          byteSocket.send(request.start().startsWith("GET ") ? toProbes : toClients);
        });
  }

  /** Reads a request; counts the connections that end without one. */
  private HttpMessage requestOf(ByteSocket byteSocket) {
    try {
      return byteSocket.request();
    } catch (UncheckedIOException ended) {
      silent.incrementAndGet();
      throw ended;
    }
  }

  private List<String> starts() {
    return asked.stream().map(HttpMessage::start).toList();
  }

  private Upstream upstreamOf(String id) {
    return Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find(id));
  }

  /** Makes an upstream unhealthy: three of its answers in a row are errors. */
  private void makeUnhealthy(String path, String id) {
    answering(DOWN, DOWN);
    while (!upstreamOf(id).health().onTrial()) {
      post(path, ASK);
    }
    asked.clear();
  }

  private void awaitProbes(int atLeast) {
    RunningGateway.awaiting().until(() -> asked.size() >= atLeast);
  }

  /** Waits until the upstream works: one request may try it. */
  private void awaitTrial(String id) {
    RunningGateway.awaiting().until(() -> upstreamOf(id).probeAt() == Ticker.NEVER);
  }

  @Test
  void upstreamThatIsDown_isProbed_andNoRequestOfAClientReachesIt() {
    makeUnhealthy(CHAT, "openai");
    while (asked.size() < 3) {
      HttpMessage answer = post(CHAT, ASK);
      refused(answer, 503, "no_healthy_upstream");
      assertThat(Long.parseLong(answer.header("retry-after"))).isBetween(1L, 9L);
    }
    assertThat(starts()).containsOnly("GET /v1/models HTTP/1.1");
    assertThat(asked.getFirst().header("authorization")).isEqualTo("Bearer " + UPSTREAM_SECRET);

    answering(NOT_FOUND, OK);
    awaitTrial("openai");
    assertThat(post(CHAT, ASK).status()).isEqualTo(200);
    assertThat(post(CHAT, ASK).status()).as("it is healthy again").isEqualTo(200);
    MetricsScrape scrape = MetricsScrape.of(gateway.operatorPort());
    String probes = "penstock_upstream_probes_total";
    assertThat(scrape.sum(probes, Map.of("upstream", "openai", "result", "error")))
        .isGreaterThanOrEqualTo(3);
    assertThat(scrape.sum(probes, Map.of("upstream", "openai", "result", "works")))
        .isEqualTo((double) upstreamOf("openai").probes(ProbeResult.WORKS))
        .isPositive();
  }

  @Test
  void clientThatComesBackWhenItIsTold_isServedOnceTheUpstreamWorks() {
    makeUnhealthy(CHAT, "openai");
    awaitProbes(2);
    long due = upstreamOf("openai").probeAt();
    HttpMessage refused = post(CHAT, ASK);
    answering(OK, OK);
    Ticker ticker = gateway.bean(Ticker.class);
    long waitMillis = Long.parseLong(refused.header("retry-after-ms"));
    long told = ticker.nanos() + 1_000_000 * waitMillis;
    assertThat(waitMillis).isLessThan(6_000);
    assertThat(told)
        .as("when it is told to come, and when the next probe is due")
        .isGreaterThan(due);
    RunningGateway.awaiting().until(() -> ticker.nanos() >= told);
    awaitTrial("openai"); // on a busy machine, the answer to the probe takes longer than planned
    HttpMessage answer = post(CHAT, ASK);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  @Test
  void upstreamThatAnswersProbesOnly_isTriedByOneRequestAfterEachProbe() {
    makeUnhealthy(CHAT, "openai");
    answering(OK, DOWN);
    awaitTrial("openai");
    HttpMessage answer = post(CHAT, ASK);
    while (!"no_healthy_upstream".equals(answer.header("x-penstock-reason"))) {
      answer = post(CHAT, ASK); // until one comes between two probes
    }
    refused(answer, 503, "no_healthy_upstream");
    String tried = "POST /v1/chat/completions HTTP/1.1";
    assertThat(starts()).contains(tried).startsWith("GET /v1/models HTTP/1.1");
    for (int i = 1; i < starts().size(); i++) {
      assertThat(starts().subList(i - 1, i + 1)).isNotEqualTo(List.of(tried, tried));
    }
    answering(OK, OK);
    awaitTrial("openai");
    assertThat(post(CHAT, ASK).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({
    "versioned, /versioned/chat/completions, /v1/models, authorization, Bearer sk-upstream",
    "anthropic, /anthropic/v1/messages, /v1/models, x-api-key, sk-upstream",
    "gemini, /gemini/v1beta/models/m:generateContent, /v1beta/models, x-goog-api-key, sk-upstream",
  })
  void listOfModels_isAskedForInTheDialectWithTheUpstreamsCredential(
      String id, String path, String models, String name, String credential) {
    makeUnhealthy(path, id);
    awaitProbes(1);
    assertThat(asked.getFirst().start()).isEqualTo("GET " + models + " HTTP/1.1");
    assertThat(asked.getFirst().header(name)).isEqualTo(credential);
    answering(OK, OK);
    awaitTrial(id);
    post(path, ASK);
  }

  @ParameterizedTest
  @CsvSource({"none, /none/x", "own, /own/v1/chat/completions"})
  void withoutAListOfModelsOrACredential_aConnectionIsTheProbe(String id, String path) {
    int before = silent.get();
    makeUnhealthy(path, id);
    awaitTrial(id);
    RunningGateway.awaiting().until(() -> silent.get() > before);
    answering(OK, OK);
    assertThat(post(path, ASK).status()).isEqualTo(200);
  }

  @Test
  void upstreamThatLeavesTheConfiguration_isProbedNoMore() throws IOException {
    makeUnhealthy("/removed/v1/chat/completions", "removed");
    Upstream removed = upstreamOf("removed");
    awaitProbes(1);
    Path aside = Path.of(gateway.routes() + ".new");
    String all = Files.readString(gateway.routes());
    String without =
        all.lines().filter(line -> !line.contains("/removed")).reduce("", (a, b) -> a + b + "\n");
    Files.writeString(aside, without);
    Files.move(aside, gateway.routes(), StandardCopyOption.ATOMIC_MOVE);
    try (ByteSocket byteSocket = ByteSocket.to(gateway.operatorPort())) {
      byteSocket
          .send(
              "POST /reload HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 0\r\n\r\n"
                  .formatted(gateway.operatorPort()))
          .answer();
    }
    int probes = asked.size();
    long due = removed.probeAt();
    assertThat(due).isNotEqualTo(Ticker.NEVER);
    Ticker ticker = gateway.bean(Ticker.class);
    RunningGateway.awaiting().until(() -> ticker.nanos() > due + SECOND);
    assertThat(asked).hasSize(probes);
    assertThat(removed.probeAt()).isEqualTo(due);
  }

  @Test
  void shutdown_endsProbing() {
    RunningGateway own =
        RunningGateway.start(
            """
            defaults: {dialect: openai, max_wait: 0.2}
            endpoints: [{path: /, upstreams: [{id: u, url: "%s"}]}]
            """
                .formatted(upstream.url()));
    answering(DOWN, DOWN);
    Upstream sick = Objects.requireNonNull(own.bean(UpstreamRegistry.class).find("u"));
    while (!sick.health().onTrial()) {
      try (ByteSocket byteSocket = ByteSocket.to(own.port())) {
        byteSocket.send(ByteSocket.request("POST", "/v1/chat/completions", ASK)).answer();
      }
    }
    own.close();
    asked.clear();
    long due = sick.probeAt();
    Ticker ticker = gateway.bean(Ticker.class);
    RunningGateway.awaiting().until(() -> ticker.nanos() > due + SECOND);
    assertThat(asked).isEmpty();
  }

  @Test
  void mockProvider_isProbedInThisProcess() {
    while (!upstreamOf("mock").health().onTrial()) {
      post("/mock/v1/chat/completions", ASK);
    }
    RunningGateway.awaiting().until(() -> upstreamOf("mock").probes(ProbeResult.WORKS) > 0);
  }
}
