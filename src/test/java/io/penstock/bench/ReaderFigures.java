package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.endpoint.Endpoint;
import io.penstock.fake.RunningGateway;
import io.penstock.fake.SlowReaders;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Measures the duration of a decision with a hundred readers of events that do not read, compared
 * with none.
 */
@Isolated("measures")
class ReaderFigures {
  private static final int READERS = 100;
  private static final int ROUNDS = 12;
  private static final int DECISIONS = 20_000;
  private static final String ROUTES = "endpoints:\n  - {path: /free, algorithm: none}\n";

  private final Ticker ticker = Ticker.system();
  private final FigureTable figureTable = new FigureTable();

  /** Returns the duration of each request, in nanoseconds, from its arrival to its end. */
  private long[] decide(Endpoint endpoint) {
    long[] nanos = new long[DECISIONS];
    for (int each = 0; each < DECISIONS; each++) {
      long before = ticker.nanos();
      var parkedTicket = endpoint.submit(RequestFixture.request(null, Cost.ofInput(1)));
      if (!(parkedTicket.outcome() instanceof TicketOutcome.Granted(TicketSettlement settlement))) {
        throw new AssertionError("was not let go: " + parkedTicket.outcome());
      }
      settlement.permitted(ticker.nanos());
      nanos[each] = ticker.nanos() - before;
    }
    return nanos;
  }

  private static double p99(List<long[]> rounds) {
    long[] sorted = rounds.stream().flatMapToLong(Arrays::stream).sorted().toArray();
    return sorted[(int) (sorted.length * 0.99)] / 1e3;
  }

  @Test
  @Timeout(300)
  void slowReaders_delayNoDecision() throws Exception {
    List<long[]> without = new ArrayList<>();
    List<long[]> with = new ArrayList<>();
    try (RunningGateway gateway = RunningGateway.start(ROUTES)) {
      Endpoint endpoint = gateway.endpoint("/free");
      for (int round = 0; round < ROUNDS; round++) {
        long[] alone = decide(endpoint);
        long[] beside;
        try (SlowReaders events = new SlowReaders(gateway.operatorPort(), "/events", READERS);
            SlowReaders live = new SlowReaders(gateway.operatorPort(), "/live", READERS)) {
          for (var lines : events.read()) {
            assertThat(lines.readLine()).contains("200");
          }
          decide(endpoint); // until all buffers are full
          beside = decide(endpoint);
          assertThat(live.read()).hasSize(READERS);
        }
        if (round >= 2) {
          without.add(alone);
          with.add(beside);
        }
      }
    }
    figureTable.add(
        "p99 of a decision with 100 slow readers: at most 10 µs more than without",
        p99(with) <= p99(without) + 10,
        "%.1f µs beside %.1f µs".formatted(p99(with), p99(without)));
    System.out.println(figureTable);
    assertThat(figureTable.toString()).doesNotContain("NOT MET");
  }
}
