package io.penstock.mainjob;

import io.penstock.fake.PatientWaits;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Clients of one endpoint that ask for another chat as soon as they are answered, whatever the
 * answer is, so that there are always requests waiting. None of them repeats a request.
 */
public final class SaturatingCallers implements AutoCloseable {
  /**
   * One request and its answer.
   *
   * @param at when the answer was there, in nanoseconds of the ticker
   * @param tokens the stated maximum, which is more than the input
   * @param upstream where it came from; empty when the answer does not tell
   */
  public record Answer(long at, int status, long tokens, String upstream, String body) {}

  private static final long WARM_UP_NANOS = 4_000_000_000L;
  private static final Duration PATIENCE = PatientWaits.LONGEST;

  private final URI chats;
  private final Ticker ticker;
  private final HttpClient client = HttpClient.newHttpClient();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ConcurrentLinkedQueue<Answer> answers = new ConcurrentLinkedQueue<>();

  /** Creates clients that have not started yet. */
  public SaturatingCallers(String endpointUrl, Ticker ticker) {
    this.chats = URI.create(endpointUrl + "/v1/chat/completions");
    this.ticker = ticker;
  }

  /**
   * Warms the JVM up with an endpoint that is not measured: requests that take long to reach a
   * provider would widen the window that the gateway assumes for it.
   */
  public static void warmUp(String endpointUrl, Ticker ticker) {
    try (SaturatingCallers callers = new SaturatingCallers(endpointUrl, ticker)) {
      callers.begin(30, 1, 10, ticker.nanos() + WARM_UP_NANOS);
      callers.end();
    }
  }

  /**
   * Starts that many clients, each with maxima of {@code least} to {@code most}, until an instant.
   */
  public void begin(int clients, int least, int most, long untilNanos) {
    for (int i = 0; i < clients; i++) {
      Random random = new Random(i);
      threads.execute(
          () -> {
            while (ticker.nanos() < untilNanos) {
              ask(random.nextInt(least, most + 1));
            }
          });
    }
  }

  private void ask(int maxTokens) {
    String body =
        """
        {"model":"gpt-4o","max_completion_tokens":%d,"messages":[{"role":"user","content":"Hi"}]}\
        """
            .formatted(maxTokens);
    HttpRequest request =
        HttpRequest.newBuilder(chats)
            .header("content-type", "application/json")
            .timeout(PATIENCE)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      String upstream = answer.headers().firstValue("x-penstock-upstream").orElse("");
      answers.add(
          new Answer(ticker.nanos(), answer.statusCode(), maxTokens, upstream, answer.body()));
    } catch (IOException e) {
      answers.add(new Answer(ticker.nanos(), 0, maxTokens, "", e.toString()));
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until all clients have their last answer; returns all answers. */
  public List<Answer> end() {
    threads.close();
    return List.copyOf(answers);
  }

  @Override
  public void close() {
    threads.shutdownNow();
    client.close();
  }
}
