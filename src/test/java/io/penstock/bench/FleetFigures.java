package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.Fleet;
import io.penstock.fake.RedisServer;
import io.penstock.fake.TrailingChecker;
import io.penstock.key.Secrets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three gateways in processes of their own, one Redis, clients who ask again and again: how much of
 * what limits allow is used, and how much more.
 */
class FleetFigures {
  private static final long SECOND = 1_000_000_000L;
  private static final long TOKENS = 100_000;
  private static final long TOKEN_WINDOW = 10 * SECOND;
  private static final long REQUESTS = 6_000;
  private static final Duration MINUTE = Duration.ofSeconds(60);
  private static final int SECONDS = Integer.getInteger("penstock.fleet.seconds", 130);

  @TempDir private Path directory;

  private static String routes(String limited, String unlimited, String sharing) {
    return """
    keys:
      - {name: limited, sha256: %s, rate_limit_rpm: %d, on_limit: wait, sharing: %s}
      - {name: unlimited, sha256: %s}
    endpoints:
      - path: /window
        algorithm: token_window
        tokens_per_window: %d
        window_seconds: %d
        sharing: %s
      - {path: /keyed, algorithm: none}
    """
        .formatted(
            Secrets.sha256(limited),
            REQUESTS,
            sharing,
            Secrets.sha256(unlimited),
            TOKENS,
            TOKEN_WINDOW / SECOND,
            sharing);
  }

  /** What was let go: in all cells but the first and the last, and in windows that are full. */
  private record Used(long mostCell, double cells, long mostTrailing, double trailing) {
    static Used of(List<Fleet.Released> window, List<Fleet.Released> keyed) {
      TreeMap<Long, Long> cells = new TreeMap<>(Fleet.cells(window, TOKEN_WINDOW));
      long most = cells.values().stream().mapToLong(Long::longValue).max().orElse(0);
      List<Long> whole = new ArrayList<>(cells.values());
      System.out.println(whole);
      whole.removeFirst();
      whole.removeLast();
      double mean = whole.stream().mapToLong(Long::longValue).average().orElse(0);
      TrailingChecker key = Fleet.trailing(keyed, REQUESTS, MINUTE.toNanos(), true);
      long last = keyed.getLast().unixNanos();
      long first = keyed.getFirst().unixNanos();
      double requests =
          keyed.stream().filter(each -> each.unixNanos() > last - 60 * SECOND).count();
      System.out.println("least trailing " + key.least(first + 65 * SECOND, last));
      return new Used(most, mean / TOKENS, key.most(), requests / REQUESTS);
    }
  }

  private Used run(String name, String sharing, int[] clients) throws Exception {
    String limited = Secrets.make();
    String unlimited = Secrets.make();
    Path own = Files.createDirectory(directory.resolve(name));
    try (RedisServer redis = RedisServer.started();
        Fleet fleet =
            new Fleet(
                own,
                clients.length,
                routes(limited, unlimited, sharing),
                MINUTE,
                "--penstock.redis.url=" + redis.url())) {
      fleet.ask(clients, "/window?tokens=%d", unlimited, 50, 1_500);
      fleet.ask(clients, "/keyed", limited, 1, 1);
      Awaitility.await()
          .atMost(Duration.ofSeconds(2L * SECONDS + 60))
          .pollInterval(Duration.ofSeconds(1))
          .until(() -> lasted(fleet.released("/window")));
      fleet.stop();
      Used used = Used.of(fleet.released("/window"), fleet.released("/keyed"));
      System.out.printf(
          "%s: window most %d (%.4f), used %.4f; key most %d (%.4f), used %.4f; %s%n",
          name,
          used.mostCell(),
          (double) used.mostCell() / TOKENS,
          used.cells(),
          used.mostTrailing(),
          (double) used.mostTrailing() / REQUESTS,
          used.trailing(),
          fleet.answers());
      return used;
    }
  }

  private static boolean lasted(List<Fleet.Released> all) {
    return !all.isEmpty()
        && all.getLast().unixNanos() - all.getFirst().unixNanos() > SECONDS * SECOND;
  }

  @Test
  @Timeout(1200)
  void limitsOfThreeGateways() throws Exception {
    Map<String, int[]> splits = new TreeMap<>();
    splits.put("even", new int[] {50, 50, 50});
    splits.put("skewed", new int[] {135, 8, 7});
    for (Map.Entry<String, int[]> split : splits.entrySet()) {
      Used exact = run("exact, " + split.getKey(), "exact", split.getValue());
      assertThat(exact.mostCell()).isLessThanOrEqualTo(TOKENS);
      assertThat(exact.mostTrailing()).isLessThanOrEqualTo(REQUESTS);
    }
    run("eventual, even", "eventual", splits.get("even"));
  }
}
