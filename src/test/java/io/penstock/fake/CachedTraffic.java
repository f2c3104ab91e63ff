package io.penstock.fake;

import io.penstock.mock.MockAddress;
import io.penstock.mock.MockProvider;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Clients that each send one streamed request after the other to a mock provider with a prompt
 * cache, through gateways: prompts of 10,000 tokens, of which the provider caches the first 8,570.
 * Minutes may be shorter than real ones; then all durations are, too.
 */
public final class CachedTraffic implements AutoCloseable {
  /** Uncached input tokens that the provider admits in any minute. */
  public static final long ITPM = 100_000;

  /** Input tokens of a prompt, as the provider counts them. */
  public static final int PROMPT = 10_000;

  private static final int CACHED = 8_570;
  private static final int OUTPUT_TOKENS = 60;
  private static final int BYTES_PER_TOKEN = 4;
  private static final int MESSAGE = 4;
  private static final double FIRST_EVENT_SECONDS = 0.4;
  private static final double MINUTE_SECONDS = 60;

  /**
   * Counts of the provider so far, and of answers to clients.
   *
   * @param counted uncached input tokens of answers that began, as the provider bills them
   * @param refused answers 429 of the provider
   * @param answers number of answers to clients by status, and by the gateway's reason if it
   *     refused
   */
  public record Sample(
      long nanos, long counted, long read, long refused, Map<String, Long> answers) {
    /** Returns the number of answers to clients that were not served. */
    public long notServed() {
      return answers.values().stream().mapToLong(Long::longValue).sum()
          - answers.getOrDefault(SERVED, 0L);
    }
  }

  /** The only kind of answer when every client is served. */
  public static final String SERVED = "200";

  private final MockProvider provider;
  private final MockAddress address;
  private final Duration minute;
  private final Ticker ticker = Ticker.system();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, LongAdder> answers = new ConcurrentHashMap<>();
  private volatile boolean over;

  private CachedTraffic(MockProvider provider, MockAddress address, Duration minute) {
    this.provider = provider;
    this.address = address;
    this.minute = minute;
  }

  /**
   * Creates traffic that sends nothing yet.
   *
   * @param answerSeconds how long an answer lasts, in seconds of a real minute
   */
  public static CachedTraffic of(MockProvider provider, double answerSeconds, Duration minute) {
    double scale = minute.toMillis() / (MINUTE_SECONDS * 1_000);
    MockAddress address =
        MockAddress.parse(
            URI.create(
                "mock://anthropic?cache=1024&itpm=%d&window=%dms&latency=%dms&tokens=%d&tps=%.6f"
                    .formatted(
                        ITPM,
                        minute.toMillis(),
                        Math.round(FIRST_EVENT_SECONDS * 1_000 * scale),
                        OUTPUT_TOKENS,
                        OUTPUT_TOKENS / (answerSeconds * scale))));
    return new CachedTraffic(provider, address, minute);
  }

  /** Returns the base URL of the provider. */
  public String url() {
    return provider.baseUrl(address).toString();
  }

  /** Turns reading from the provider's cache on or off. */
  public void cacheReadable(boolean readable) {
    provider.cachesReadable(address, readable);
  }

  /**
   * Starts clients, until this is closed.
   *
   * @param urls to which they send, in turn
   * @param conversations number of different beginnings of prompts, which they have in turn
   */
  public void ask(int clients, List<String> urls, int conversations) {
    AtomicInteger number = new AtomicInteger();
    for (int i = 0; i < clients; i++) {
      URI url = URI.create(urls.get(i % urls.size()));
      String beginning = text("beginning " + i % conversations, CACHED);
      threads.execute(
          () -> {
            while (!over) {
              once(url, body(beginning, number.incrementAndGet()));
            }
          });
    }
  }

  private static String body(String beginning, int number) {
    String mark = "\"cache_control\":{\"type\":\"ephemeral\"}";
    return "{\"model\":\"m\",\"max_tokens\":%d,\"stream\":true,%s,%s}"
        .formatted(
            OUTPUT_TOKENS,
            "\"system\":[{\"type\":\"text\",\"text\":\"" + beginning + "\"," + mark + "}]",
            "\"messages\":[{\"role\":\"user\",\"content\":\""
                + text("question " + number, PROMPT - CACHED - MESSAGE)
                + "\"}]");
  }

  /** Returns a text of that many tokens, as the provider counts them. */
  private static String text(String start, int tokens) {
    int bytes = tokens * BYTES_PER_TOKEN;
    return (start + " of many words" + " word".repeat(bytes / 5)).substring(0, bytes);
  }

  private void once(URI url, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(url)
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<Void> answer = client.send(request, HttpResponse.BodyHandlers.discarding());
      String reason = answer.headers().firstValue("x-penstock-reason").orElse("");
      count((answer.statusCode() + " " + reason).strip());
    } catch (IOException gone) {
      if (!over) {
        count("none");
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void count(String answer) {
    answers.computeIfAbsent(answer, none -> new LongAdder()).increment();
  }

  /** Waits for that many minutes of the traffic, and returns what was counted until then. */
  public Sample after(Sample from, double minutes) {
    long until = from.nanos() + Math.round(minutes * minute.toNanos());
    while (ticker.nanos() < until) {
      LockSupport.parkNanos(until - ticker.nanos());
    }
    return sample();
  }

  /** Returns what was counted until now. */
  public Sample sample() {
    MockProvider.Bill bill = provider.bills(address).get("m");
    Map<String, Long> answered = new TreeMap<>();
    answers.forEach((answer, count) -> answered.put(answer, count.sum()));
    return new Sample(
        ticker.nanos(),
        bill == null ? 0 : bill.uncached() + bill.cacheWrite() + bill.cacheWriteHour(),
        bill == null ? 0 : bill.cacheRead(),
        provider.stats(address).refused(),
        answered);
  }

  /** Returns the used share of the provider's limit between two samples. */
  public double used(Sample from, Sample to) {
    double minutes = (double) (to.nanos() - from.nanos()) / minute.toNanos();
    return (to.counted() - from.counted()) / (minutes * ITPM);
  }

  /** Stops all clients without waiting for their answers. */
  @Override
  public void close() {
    over = true;
    client.shutdownNow();
    threads.shutdownNow();
  }
}
