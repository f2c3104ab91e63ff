package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketRequest;
import io.penstock.dispatch.WaitPatience;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Measures what the estimate of a wait costs: for a request that joins a queue of mixed sizes with
 * and without a timeout, for one that is refused because of it, and for a list of all places.
 */
@Isolated("measures")
class EstimateFigures {
  private static final int[] LENGTHS = {0, 16, 64, 250, 1_000, 5_000};
  private static final int ROUNDS = 7;
  private static final long HOUR = 3_600 * EndpointFixture.SECOND;
  private static final WaitPatience NO_TIMEOUT = WaitPatience.DEFAULT;
  private static final WaitPatience LONG_TIMEOUT = new WaitPatience(1_000 * HOUR, Long.MAX_VALUE);
  private static final WaitPatience NO_PATIENCE = new WaitPatience(1, Long.MAX_VALUE);

  private final Ticker clock = Ticker.system();

  private static TicketRequest request(long tokens, WaitPatience patience) {
    return RequestFixture.of(null, Cost.ofInput(tokens)).patience(patience).made();
  }

  /** Returns a request with output, which is only reserved while it runs: waits are bounds then. */
  private static TicketRequest answered(long tokens) {
    return RequestFixture.of(null, new Cost(tokens, tokens, 0)).patience(NO_TIMEOUT).made();
  }

  private static final class Queue {
    final EndpointFixture fixture = new EndpointFixture();
    final Endpoint endpoint;

    Queue(int length, boolean answered) {
      endpoint =
          fixture.open(
              EndpointFixture.none("/a")
                  .to(EndpointFixture.upstream("u", 600, 30_000))
                  .bounds(100_000, Long.MAX_VALUE, Long.MAX_VALUE));
      EndpointFixture.submit(endpoint, 30_000);
      SplittableRandom random = new SplittableRandom(length);
      for (int each = 0; each < length; each++) {
        long tokens = random.nextLong(1, 500);
        endpoint.submit(answered ? answered(tokens) : request(tokens, NO_TIMEOUT));
      }
      fixture.drivers.run();
    }

    ParkedTicket join(WaitPatience patience) {
      return endpoint.submit(request(250, patience));
    }

    void leave(ParkedTicket ticket) {
      ticket.cancel();
      fixture.drivers.run();
    }
  }

  /** Returns the median time of an action, in microseconds. */
  private double micros(int times, Supplier<Runnable> prepared) {
    double[] medians = new double[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      long[] nanos = new long[times];
      for (int each = 0; each < times; each++) {
        Runnable action = prepared.get();
        long before = clock.nanos();
        action.run();
        nanos[each] = clock.nanos() - before;
      }
      Arrays.sort(nanos);
      medians[round] = nanos[times / 2] / 1e3;
    }
    Arrays.sort(medians, 2, ROUNDS); // the first two warm up
    return medians[2 + (ROUNDS - 2) / 2];
  }

  private double join(Queue queue, WaitPatience patience) {
    List<ParkedTicket> last = new ArrayList<>();
    double micros =
        micros(
            300,
            () -> {
              last.forEach(queue::leave);
              last.clear();
              return () -> last.add(queue.join(patience));
            });
    last.forEach(queue::leave);
    return micros;
  }

  private double list(Queue queue) {
    return micros(
        50,
        () ->
            () -> {
              queue
                  .fixture
                  .registry
                  .tickets()
                  .list(
                      queue.endpoint,
                      20_000,
                      snapshot -> assertThat(snapshot.places()).isNotNull());
              queue.fixture.drivers.run();
            });
  }

  @Test
  @Timeout(600)
  void estimates() {
    StringBuilder table = new StringBuilder("µs by requests that wait\n");
    table.append(row("waiting", "no timeout", "timeout", "refused", "list", "bounds"));
    for (int length : LENGTHS) {
      Queue queue = new Queue(length, false);
      table.append(
          row(
              String.valueOf(length),
              number(join(queue, NO_TIMEOUT)),
              number(join(queue, LONG_TIMEOUT)),
              number(join(queue, NO_PATIENCE)),
              number(list(queue)),
              number(list(new Queue(length, true)))));
    }
    System.out.print(table);
  }

  private static String number(double micros) {
    return String.format(Locale.ROOT, "%.1f", micros);
  }

  private static String row(String... cells) {
    StringBuilder row = new StringBuilder();
    for (String cell : cells) {
      row.append(String.format(Locale.ROOT, "%12s", cell));
    }
    return row.append('\n').toString();
  }
}
