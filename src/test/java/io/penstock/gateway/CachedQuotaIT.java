package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.CachedTraffic;
import io.penstock.fake.CachedTraffic.Sample;
import io.penstock.fake.MachineStalls;
import io.penstock.fake.RunningGateway;
import io.penstock.mock.MockProvider;
import io.penstock.suite.TaggedTests;
import io.penstock.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that the quota of a provider that does not count cached input is used, whether or not its
 * cache works. If the whole input were charged until its answer ends, a sixth would be used.
 * Minutes are short; {@code CacheFigures} measures real ones.
 */
@SuppressWarnings("try") // the traffic ends before its figures are read
@Tag(TaggedTests.FULL)
class CachedQuotaIT {
  private static final Duration MINUTE = Duration.ofSeconds(8);
  private static final int CLIENTS = 80;

  /** Far less than on an idle machine: each of 100 requests a minute loses the same time. */
  private static final double USED = 0.6;

  @Test
  void mostOfTheQuotaIsUsed_whetherOrNotTheCacheWorks() throws Exception {
    try (MockProvider provider = MockProvider.start(Ticker.system());
        CachedTraffic traffic = CachedTraffic.of(provider, 10, MINUTE);
        MachineStalls stalls = new MachineStalls();
        RunningGateway gateway =
            RunningGateway.start(
                """
                endpoints:
                  - path: /a
                    dialect: anthropic
                    upstreams: [{id: a, url: "%s", itpm: %d}]
                """
                    .formatted(traffic.url(), CachedTraffic.ITPM),
                MINUTE)) {
      Sample start = traffic.sample();
      traffic.ask(CLIENTS, List.of("http://127.0.0.1:" + gateway.port() + "/a/v1/messages"), 1);
      Sample cold = traffic.after(start, 2);
      Sample warm = traffic.after(cold, 2);
      traffic.cacheReadable(false);
      Sample stopped = traffic.after(warm, 2);
      Sample full = traffic.after(stopped, 2);
      traffic.close();
      stalls.unlessBusy(
          MINUTE.toNanos(),
          () -> {
            assertThat(traffic.used(cold, warm))
                .as("used while the cache works")
                .isGreaterThan(USED);
            assertThat(traffic.used(stopped, full))
                .as("used without the cache")
                .isGreaterThan(USED);
            assertThat(full.refused()).as("429 at the provider").isLessThan(20);
          });
      assertThat(warm.read()).as("tokens read from the cache").isGreaterThan(warm.counted());
      assertThat(full.read() - stopped.read()).as("tokens read from a stopped cache").isZero();
      assertThat(full.answers().keySet()).isEqualTo(Set.of(CachedTraffic.SERVED));
    }
  }
}
