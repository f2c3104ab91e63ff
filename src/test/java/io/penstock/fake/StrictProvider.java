package io.penstock.fake;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import com.github.tomakehurst.wiremock.extension.requestfilter.RequestFilterAction;
import com.github.tomakehurst.wiremock.extension.requestfilter.StubRequestFilterV2;
import com.github.tomakehurst.wiremock.http.Request;
import com.github.tomakehurst.wiremock.stubbing.ServeEvent;
import io.penstock.time.Ticker;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A provider with a strict checker, on a port of its own: answers 429 to requests that the checker
 * refuses, and produces every stated maximum in full. Safe from any thread.
 */
public final class StrictProvider implements AutoCloseable {
  /** Model of requests that are not counted, for warming up. */
  public static final String UNCOUNTED = "warm-up";

  private static final JsonMapper JSON = new JsonMapper();
  private static final int LATENCY_MILLIS = 20;
  private static final int PIECES = 4;
  private static final int DURATION_MILLIS = 80;

  private final ProviderShape shape;
  private final Ticker ticker;
  private final AtomicInteger served = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final WireMockServer server;
  private final ProviderChecker providerChecker;

  private StrictProvider(ProviderShape shape, Ticker ticker, ProviderChecker providerChecker) {
    this.shape = shape;
    this.ticker = ticker;
    this.providerChecker = providerChecker;
    this.server =
        new WireMockServer(
            WireMockConfiguration.options()
                .dynamicPort()
                .bindAddress("127.0.0.1")
                .containerThreads(200)
                .jettyAcceptQueueSize(1_000)
                .jettyIdleTimeout(300_000L)
                .disableRequestJournal()
                .stubRequestLoggingDisabled(true)
                .gzipDisabled(true)
                .extensions(new AtArrival()));
    server.start();
  }

  /** Starts a provider of OpenAI's chat completions and embeddings. */
  public static StrictProvider openAi(Ticker ticker, ProviderChecker providerChecker) {
    return new StrictProvider(new OpenAiShape(), ticker, providerChecker);
  }

  /** Starts a provider of Anthropic's messages. */
  public static StrictProvider anthropic(Ticker ticker, ProviderChecker providerChecker) {
    return new StrictProvider(new AnthropicShape(), ticker, providerChecker);
  }

  /** Returns its URL. */
  public String url() {
    return server.baseUrl();
  }

  /** Returns the number of requests that its checker accepted. */
  public int served() {
    return served.get();
  }

  /** Returns the number of 429 answers. */
  public int refused() {
    return refused.get();
  }

  @Override
  public void close() {
    server.stop();
  }

  private ProviderAnswer answer(String path, byte[] bytes, long now) {
    JsonNode body = JSON.readTree(bytes);
    ProviderShape.Ask ask = shape.read(path, body);
    ProviderChecker counts = ask.model().equals(UNCOUNTED) ? ProviderChecker.NONE : providerChecker;
    if (!counts.takes(now, ask.inputTokens(), ask.outputTokens())) {
      refused.incrementAndGet();
      return ProviderAnswer.refusal(shape.refusal());
    }
    if (!counts.equals(ProviderChecker.NONE)) {
      served.incrementAndGet();
    }
    produce(counts, ask.outputTokens(), now);
    String type = ask.stream() ? ProviderAnswer.SSE : ProviderAnswer.JSON;
    int latency = ask.stream() ? LATENCY_MILLIS : LATENCY_MILLIS + DURATION_MILLIS;
    return new ProviderAnswer(
        200,
        type,
        Map.of("x-ratelimit-remaining-tokens", "0"),
        shape.write(path, ask, body),
        latency,
        ask.stream() ? PIECES : 1,
        ask.stream() ? DURATION_MILLIS : 0);
  }

  /** Charges output evenly over the duration of the answer, whether or not it is streamed. */
  private static void produce(ProviderChecker counts, long tokens, long now) {
    long left = tokens;
    for (int piece = 0; piece < PIECES && left > 0; piece++) {
      long part = Math.ceilDiv(left, PIECES - piece);
      long millis = LATENCY_MILLIS + (long) piece * DURATION_MILLIS / PIECES;
      counts.produces(now + millis * 1_000_000, part);
      left -= part;
    }
  }

  /** Decides before anything else is done, so that arrivals get the time at which they came. */
  private final class AtArrival implements StubRequestFilterV2 {
    @Override
    public String getName() {
      return "at-arrival";
    }

    @Override
    public RequestFilterAction filter(Request request, ServeEvent event) {
      long now = ticker.nanos();
      ProviderAnswer answer = answer(request.getUrl(), request.getBody(), now);
      ResponseDefinitionBuilder response =
          ResponseDefinitionBuilder.responseDefinition()
              .withStatus(answer.status())
              .withHeader("content-type", answer.contentType())
              .withBody(answer.body())
              .withFixedDelay(answer.latencyMillis());
      answer.headers().forEach(response::withHeader);
      if (answer.pieces() > 1) {
        response.withChunkedDribbleDelay(answer.pieces(), answer.durationMillis());
      }
      return RequestFilterAction.stopWith(response.build());
    }
  }
}
