package io.penstock.operator;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.fake.MetricsScrape;
import io.penstock.fake.SlowReaders;
import io.penstock.fake.StartedGateway;
import io.penstock.suite.Hostile;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Tests that sockets that read nothing do not delay others, and learn what they missed once they
 * read again.
 */
@Hostile(Hostile.By.CLIENT)
@Isolated("has 200 readers and 4,000 events")
class SlowReadersIT {
  private static final int READERS = 100;

  /**
   * Number of events that, with so long a path, exceeds a reader's ring and the buffers of a
   * connection.
   */
  private static final int EVENTS = 4_000;

  private static final String FLOOD = "/flood" + "x".repeat(1_000);
  private static final String ROUTES = "endpoints:\n  - {path: /free, algorithm: none}\n";
  private static final Pattern LOST = Pattern.compile("data:\\{\"events\":(\\d+)}");

  @TempDir private Path directory;

  private static double dropped(StartedGateway gateway) {
    return MetricsScrape.of(gateway.operatorPort()).sum("penstock_events_dropped_total", Map.of());
  }

  /**
   * Reads until all events were either received or reported as lost; returns how many were lost.
   */
  private static long lostOfAll(BufferedReader lines) throws IOException {
    long reported = 0;
    long lost = 0;
    while (reported + lost < EVENTS) {
      String line = lines.readLine();
      assertThat(line).as("after %d events, and %d lost", reported, lost).isNotNull();
      Matcher missed = LOST.matcher(line);
      if (missed.matches()) {
        lost += Long.parseLong(missed.group(1));
      } else if (line.contains(FLOOD)) {
        reported++;
      }
    }
    assertThat(reported + lost).isEqualTo(EVENTS);
    return lost;
  }

  @Test
  void hundredSlowReaders_holdNobodyUp_andAreToldOfAllTheyMissed() throws Exception {
    try (StartedGateway gateway = StartedGateway.start(directory, ROUTES);
        SlowReaders live = new SlowReaders(gateway.operatorPort(), "/live", READERS);
        SlowReaders events = new SlowReaders(gateway.operatorPort(), "/events", READERS)) {
      List<BufferedReader> readers = events.read();
      for (BufferedReader lines : readers) {
        assertThat(lines.readLine()).contains("200");
      }
      EventBus bus = gateway.context().getBean(EventBus.class);
      for (int each = 0; each < EVENTS; each++) {
        bus.publish(new Event.Cancelled(0, FLOOD, each));
      }
      await().untilAsserted(() -> assertThat(dropped(gateway)).isPositive());
      assertThat(gateway.gateway("GET /free")).startsWith("HTTP/1.1 200");
      long lost = 0;
      for (BufferedReader lines : readers) {
        long missed = lostOfAll(lines);
        assertThat(missed).as("told how many").isPositive();
        lost += missed;
      }
      assertThat(dropped(gateway)).isGreaterThanOrEqualTo((double) lost);
      for (BufferedReader lines : live.read()) {
        assertThat(lines.readLine()).contains("200");
      }
    }
  }
}
