package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.LogCapture;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.fake.StartedGateway;
import io.penstock.suite.TaggedTests;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Tests which events operators get about a Redis that dies and comes back. */
@Tag(TaggedTests.READS_LOG)
@Isolated("it reads what is logged")
class SyncEventsIT {
  private static final String ROUTES =
      """
      endpoints:
        - {path: /exact, algorithm: token_window, tokens_per_window: 100, window_seconds: 10}
        - path: /eventual
          algorithm: token_window
          tokens_per_window: 100
          window_seconds: 10
          sharing: eventual
      """;

  private static final String LOST = "Redis was restarted or has lost data";
  private static final String GOES_ON = "each instance goes on with its shares of exact limits";

  @TempDir private Path directory;

  private StartedGateway start(String name, RedisServer redis) throws IOException {
    String lease = "--penstock.redis.lease=10s"; // neither takes the other for dead meanwhile
    return StartedGateway.sharing(directory.resolve(name), ROUTES, redis, lease);
  }

  /** Reads the changes, up to the first that is {@code last}. */
  private static List<String> until(BufferedReader lines, String last) throws IOException {
    List<String> read = new ArrayList<>();
    boolean sync = false;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (sync && line.startsWith("data:")) {
        read.add(line);
        if (line.contains(last)) {
          return read;
        }
      }
      sync = line.startsWith("event:") ? line.equals("event:sync") : sync;
    }
    throw new AssertionError("no " + last + " in " + read);
  }

  private static long count(List<String> lines, String word) {
    return lines.stream().filter(line -> line.contains(word)).count();
  }

  @Test
  void redisKilledAndStarted_isOneEventAndOneLineAChange() throws Exception {
    try (RedisServer redis = RedisServer.started();
        StartedGateway here = start("here", redis);
        Socket socket = StartedGateway.open(here.operatorPort(), "GET /events");
        BufferedReader events = StartedGateway.lines(socket);
        StartedGateway there = start("there", redis);
        LogCapture logCapture = LogCapture.listen()) {
      until(events, "\"members\":2");
      PatientWaits.await("an instance that knows what it may lose")
          .until(() -> there.operator("GET /actuator/health/readiness").startsWith("HTTP/1.1 200"));
      redis.kill();
      List<String> away = until(events, "\"sharing\":\"exact\",\"change\":\"cut_off\"");
      assertThat(away.getLast()).contains("\"members\":2", GOES_ON);
      redis.start();
      List<String> back = until(events, "\"sharing\":\"exact\",\"change\":\"rejoined\"");
      assertThat(back).anyMatch(line -> line.contains("\"change\":\"learning\""));
      assertThat(back).anyMatch(line -> line.contains("\"change\":\"learned\""));
      PatientWaits.await().until(() -> count(logCapture.lines(), LOST) >= 2);
      List<String> lines = logCapture.lines();
      assertThat(count(lines, GOES_ON)).isPositive();
      assertThat(count(lines, LOST)).as("each says it once").isEqualTo(2);
      assertThat(count(lines, "Redis is heard again: 2 instances")).isPositive();
      assertThat(logCapture.traces()).isEmpty();
      assertThat(there.gateway("GET /exact")).startsWith("HTTP/1.1 200");
    }
  }
}
