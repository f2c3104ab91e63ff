package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitBalance;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.quota.MeteredLimit;
import io.penstock.sharing.LimitId;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Checks that cancels at any time, concurrent with releases and settlements on other threads, leave
 * nothing behind. {@code -Dpenstock.cancels=N} sets their total number, {@code
 * -Dpenstock.cancels.seed=N} the seed.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class CancelTest {
  private static final int CANCELS = Integer.getInteger("penstock.cancels", 20_000);
  private static final long SEED = Long.getLong("penstock.cancels.seed", 1);
  private static final long WINDOW = 10_000_000;
  private static final long ENDLESS = 1_000_000_000 * BenchCore.SECOND;
  private static final QueueBounds BOUNDS =
      new QueueBounds(200, QueueBounds.UNLIMITED, QueueBounds.UNLIMITED);

  private static EndpointSpec endpoint(long capacity, long windowNanos, UpstreamSpec... upstreams) {
    return EndpointSetup.of("/storm", new LimitSpec.FixedWindow(capacity, windowNanos))
        .bounds(BOUNDS)
        .to(upstreams)
        .spec();
  }

  private static UpstreamSpec upstream(ChargeRule chargeRule) {
    return UpstreamSetup.of("u")
        .url("mock://u")
        .limits(500, 30_000, 25_000, 20_000)
        .charge(chargeRule)
        .burstSeconds(5)
        .spec();
  }

  @Test
  void cancels_againstReleasesOfAWindow_leaveNothing() {
    CancelStorm storm = new CancelStorm(endpoint(1_000, WINDOW), false);
    storm.run(CANCELS / 3, SEED);
    assertAccounted(storm.endpoint());
    assertReturned(own(storm, 1_000, WINDOW), storm);
  }

  /** The window never ends, so its charge must equal the usage. */
  @Test
  void cancels_againstPauses_chargeExactlyWhatWasUsed() {
    CancelStorm storm = new CancelStorm(endpoint(1L << 50, ENDLESS), true);
    storm.run(CANCELS / 3, SEED);
    assertAccounted(storm.endpoint());
    LimitBalance left = own(storm, 1L << 50, ENDLESS).balance(storm.ticker.nanos());
    assertThat(left).isEqualTo(new LimitBalance(storm.usedTokens.get(), 0, 0));
  }

  @Test
  void cancels_againstReleasesToAnUpstream_leaveNothing() {
    for (ChargeRule chargeRule : ChargeRule.values()) {
      CancelStorm storm = new CancelStorm(endpoint(1_000, WINDOW, upstream(chargeRule)), false);
      storm.run(CANCELS / 3 / ChargeRule.values().length, SEED);
      assertAccounted(storm.endpoint());
      assertReturned(own(storm, 1_000, WINDOW), storm);
      var upstream = Objects.requireNonNull(storm.upstreams.find("u"));
      List<MeteredLimit> limits = upstream.pool("m", storm.ticker.nanos()).limits();
      // Azure also counts the requests of one second and of ten seconds
      assertThat(limits).hasSize(chargeRule == ChargeRule.AZURE ? 6 : 4);
      limits.forEach(metered -> assertReturned(metered.limit(), storm));
    }
  }

  private static Limit own(CancelStorm storm, long capacity, long windowNanos) {
    LimitId id = new LimitId(LimitId.Kind.ENDPOINT, "/storm", "", LimitMeasure.TOKENS, windowNanos);
    return storm.limits.limit(
        id, new LimitSpec.FixedWindow(capacity, windowNanos), storm.ticker.nanos());
  }

  /**
   * Asserts that nothing is reserved, and that nothing is charged or owed once all windows have
   * ended.
   */
  private static void assertReturned(Limit limit, CancelStorm storm) {
    assertThat(limit.balance(storm.ticker.nanos()).reserved()).isZero();
    assertThat(limit.balance(storm.ticker.nanos() + 1_000 * BenchCore.SECOND))
        .isEqualTo(LimitBalance.ZERO);
  }

  private static void assertAccounted(Endpoint endpoint) {
    assertAccounted(fate -> endpoint.totals().requests(fate));
    assertAccounted(fate -> endpoint.totals().tokens(fate));
    assertAccounted(fate -> endpoint.totals().bytes(fate));
    assertThat(endpoint.oldestWaitNanos()).isZero();
    for (TicketFate fate : List.of(TicketFate.SERVED, TicketFate.CANCELLED)) {
      assertThat(endpoint.totals().requests(fate)).as("%s", fate).isPositive();
    }
  }

  private static void assertAccounted(ToLongFunction<TicketFate> totals) {
    assertThat(totals.applyAsLong(TicketFate.WAITING)).as("waiting").isZero();
    assertThat(totals.applyAsLong(TicketFate.RUNNING)).as("running").isZero();
    long ended = 0;
    for (TicketFate fate :
        List.of(TicketFate.SERVED, TicketFate.REFUSED, TicketFate.EXPIRED, TicketFate.CANCELLED)) {
      ended += totals.applyAsLong(fate);
    }
    assertThat(ended).as("ended of offered").isEqualTo(totals.applyAsLong(TicketFate.OFFERED));
  }
}
