package io.penstock.fake;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.time.WallClock;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** Clients of one port that send requests repeatedly, and the outcome of each request. */
public final class RepeatingClients implements AutoCloseable {
  /**
   * A completed request.
   *
   * @param id as in {@link HaProxy#ID}
   * @param status 0 if the connection broke
   * @param good whether the answer was complete
   * @param said the end of the received bytes, or how the connection broke
   */
  public record Asked(
      String id,
      String kind,
      long sentMillis,
      long endedMillis,
      int status,
      boolean good,
      String said) {}

  /**
   * A kind of request.
   *
   * @param kind name of such requests
   * @param body of the POST
   * @param whole whether the body of an answer is complete
   */
  public record Question(String kind, String path, String body, Predicate<String> whole) {}

  private static final int SAID = 300;

  private final int port;
  private final WallClock clock = WallClock.system();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicInteger ids = new AtomicInteger();
  private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
  private volatile boolean over;

  /** Creates clients of a port that send nothing yet. */
  public RepeatingClients(int port) {
    this.port = port;
  }

  /** Starts clients that send the same request repeatedly on kept connections. */
  public void ask(int many, Question question) {
    for (int i = 0; i < many; i++) {
      threads.execute(
          () -> {
            while (!over) {
              asked.add(once(question));
            }
          });
    }
  }

  private Asked once(Question question) {
    String id = question.kind() + "-" + ids.incrementAndGet();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + question.path()))
            .header("content-type", "application/json")
            .header(HaProxy.ID, id)
            .POST(HttpRequest.BodyPublishers.ofString(question.body()))
            .build();
    long sent = clock.unixMillis();
    int status = 0;
    boolean good = false;
    String said;
    try {
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString(UTF_8));
      status = answer.statusCode();
      said = answer.body();
      good = status == 200 && question.whole().test(said);
    } catch (IOException broken) {
      said = broken.toString();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      said = stopped.toString();
    }
    String end = said.substring(Math.max(0, said.length() - SAID));
    return new Asked(id, question.kind(), sent, clock.unixMillis(), status, good, end);
  }

  /** Returns the Unix time in milliseconds, by the clock of {@link Asked}. */
  public long unixMillis() {
    return clock.unixMillis();
  }

  /** Stops sending, and waits for all outstanding answers. */
  public void finish(Duration within) throws InterruptedException {
    over = true;
    threads.shutdown();
    if (!threads.awaitTermination(within.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("some still wait for their answers after " + within);
    }
  }

  /** Returns the outcomes of requests so far. */
  public List<Asked> asked() {
    return List.copyOf(asked);
  }

  @Override
  public void close() {
    over = true;
    client.shutdownNow();
    threads.shutdownNow();
    client.close();
    threads.close();
  }
}
