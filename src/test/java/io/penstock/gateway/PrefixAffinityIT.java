package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.fake.RunningGateway;
import io.penstock.mock.MockAddress;
import io.penstock.mock.MockProvider;
import io.penstock.mock.MockProvider.Bill;
import io.penstock.time.Ticker;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Tests that with {@code affinity: prefix} conversations with shared instructions read nearly all
 * from caches that could be read, and that the upstreams get equally many of them.
 *
 * <p>The figures in the documentation are those of {@code -Dpenstock.conversations=200
 * -Dpenstock.turns=20 -Dpenstock.at-once=25}, which take two minutes. By default there are fewer:
 * so many that the first three, which all go to one upstream because nobody knows yet that they
 * share anything, are well within the tolerance, and fewer at once, because an upstream that gets
 * several of them before its first answer has to process the instructions for each.
 */
class PrefixAffinityIT {
  private static final int CONVERSATIONS = Integer.getInteger("penstock.conversations", 90);
  private static final int TURNS = Integer.getInteger("penstock.turns", 6);
  private static final int AT_ONCE = Integer.getInteger("penstock.at-once", 8);
  private static final int UPSTREAMS = 3;
  private static final int BYTES_PER_TOKEN = 4;

  private static final int SYSTEM_TOKENS = 3_000;
  private static final int QUESTION_TOKENS = 160;
  private static final int ANSWER_TOKENS = 40;

  /** Tokens that the provider counts for each message besides its text. */
  private static final int MESSAGE_TOKENS = 4;

  private static final double BEST_PART = 0.98;
  private static final double TOLERANCE = 0.1;
  private static final double PERCENT = 100;

  private static final Bill NOTHING = new Bill(0, 0, 0, 0, 0, 0);
  private static final String MARK = ",\"cache_control\":{\"type\":\"ephemeral\"}";
  private static final String SYSTEM = block("Shared instructions", SYSTEM_TOKENS, MARK);

  /** Shares of the input that are read from a cache, and the requests of each upstream. */
  private record Figures(double read, List<Long> requests) {
    static Figures of(List<Bill> bills, int turns) {
      double read = bills.stream().mapToLong(Bill::cacheRead).sum();
      double others = bills.stream().mapToLong(each -> each.uncached() + each.cacheWrite()).sum();
      assertThat(read + others)
          .as("all input")
          .isEqualTo((double) (CONVERSATIONS * inputTokens(turns)));
      return new Figures(read / (read + others), bills.stream().map(Bill::requests).toList());
    }

    @Override
    public String toString() {
      return "%.1f %%, requests %s".formatted(PERCENT * read, requests);
    }
  }

  private static long promptTokens(int turn) {
    long questions = (long) turn * (QUESTION_TOKENS + MESSAGE_TOKENS);
    return SYSTEM_TOKENS + questions + (turn - 1L) * (ANSWER_TOKENS + MESSAGE_TOKENS);
  }

  /** Returns the tokens of all prompts of a conversation. */
  private static long inputTokens(int turns) {
    return IntStream.rangeClosed(1, turns).mapToLong(PrefixAffinityIT::promptTokens).sum();
  }

  /**
   * Returns the share that would be read if each turn found the one before and the instructions.
   */
  private static double best() {
    LongStream before = IntStream.range(1, TURNS).mapToLong(PrefixAffinityIT::promptTokens);
    return (double) (SYSTEM_TOKENS + before.sum()) / inputTokens(TURNS);
  }

  private static String block(String start, int tokens, String mark) {
    int bytes = tokens * BYTES_PER_TOKEN;
    String text = (start + " of many words" + " word".repeat(bytes / 5)).substring(0, bytes);
    return "[{\"type\":\"text\",\"text\":\"" + text + "\"" + mark + "}]";
  }

  private static String message(String role, String content) {
    return "{\"role\":\"" + role + "\",\"content\":" + content + "}";
  }

  private static String body(int conversation, int turns) {
    List<String> messages = new ArrayList<>();
    for (int turn = 1; turn <= turns; turn++) {
      String name = conversation + ", " + turn;
      String mark = turn == turns ? MARK : "";
      messages.add(message("user", block("Question " + name, QUESTION_TOKENS, mark)));
      if (turn < turns) {
        messages.add(message("assistant", block("Answer " + name, ANSWER_TOKENS, "")));
      }
    }
    return "{\"model\":\"claude\",\"max_tokens\":%d,\"stream\":true,\"system\":%s,\"messages\":[%s]}"
        .formatted(ANSWER_TOKENS, SYSTEM, String.join(",", messages));
  }

  /**
   * Has all conversations, each in its order, through a gateway of its own.
   *
   * @param settings of the endpoint, in YAML
   */
  private static Figures measure(String settings, int turns, int atOnce) throws Exception {
    try (MockProvider provider = MockProvider.start(Ticker.system())) {
      List<MockAddress> addresses = new ArrayList<>();
      StringBuilder upstreams = new StringBuilder();
      for (int each = 0; each < UPSTREAMS; each++) {
        // equal addresses would be the same upstream
        String text = "mock://anthropic?cache=1024&itpm=300000&latency=20ms&tokens=40&cache_life=";
        addresses.add(MockAddress.parse(URI.create(text + (300 + each) + "s")));
        upstreams.append(
            "      - {id: u%d, url: \"%s\", itpm: 300000, burst_seconds: 60}\n"
                .formatted(each, provider.baseUrl(addresses.getLast())));
      }
      String routes =
          """
          endpoints:
            - path: /a
              dialect: anthropic
              %s
              upstreams:
          %s\
          """
              .formatted(settings, upstreams);
      try (RunningGateway gateway = RunningGateway.start(routes);
          HttpClient client = HttpClient.newHttpClient();
          ExecutorService threads =
              Executors.newFixedThreadPool(atOnce, Thread.ofVirtual().factory())) {
        URI url = URI.create("http://127.0.0.1:" + gateway.port() + "/a/v1/messages");
        List<Callable<Integer>> conversations = new ArrayList<>();
        for (int each = 0; each < CONVERSATIONS; each++) {
          int conversation = each;
          conversations.add(() -> converse(client, url, conversation, turns));
        }
        for (Future<Integer> each : threads.invokeAll(conversations)) {
          assertThat(each.get()).isEqualTo(turns);
        }
        gateway.awaitBalance();
      }
      return Figures.of(
          addresses.stream()
              .map(each -> provider.bills(each).getOrDefault("claude", NOTHING))
              .toList(),
          turns);
    }
  }

  private static int converse(HttpClient client, URI url, int conversation, int turns)
      throws Exception {
    int answered = 0;
    for (int turn = 1; turn <= turns; turn++) {
      HttpRequest request =
          HttpRequest.newBuilder(url)
              .header("content-type", "application/json")
              .POST(BodyPublishers.ofString(body(conversation, turn)))
              .build();
      HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      answered++;
    }
    return answered;
  }

  @Test
  void conversationsWithSharedInstructions_stayAtTheirCachesAndSpreadEvenly() throws Exception {
    Figures prefix = measure("affinity: prefix", TURNS, AT_ONCE);
    Figures none = measure("affinity: none", TURNS, AT_ONCE);
    System.out.printf(
        "%d conversations of %d turns, read from a cache: with affinity %s; without %s; best %.1f"
            + " %%%n",
        CONVERSATIONS, TURNS, prefix, none, PERCENT * best());
    assertThat(prefix.read()).isGreaterThanOrEqualTo(BEST_PART * best());
    assertThat(prefix.read()).as("more than without affinity").isGreaterThan(none.read());
    assertEven(prefix);
  }

  /** Without warm-up, because requests that wait for it go elsewhere anyway. */
  @Test
  void conversationsThatBeginAtOnce_spreadEvenly() throws Exception {
    assertEven(measure("affinity: prefix\n    cache_warmup: 0", 1, CONVERSATIONS));
  }

  private static void assertEven(Figures figures) {
    double mean = figures.requests().stream().mapToLong(each -> each).average().orElseThrow();
    for (long each : figures.requests()) {
      assertThat((double) each)
          .as("requests of an upstream, of %s", figures.requests())
          .isCloseTo(mean, within(TOLERANCE * mean));
    }
  }
}
