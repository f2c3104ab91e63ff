package io.penstock.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.endpoint.EndpointWorld;
import io.penstock.endpoint.StressOperator;
import io.penstock.endpoint.StressedGateway;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.UpstreamSpec;
import io.penstock.quota.CallerAccount;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.time.Duration;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Stress test on real threads and the real clock: endpoints share upstreams, models and groups, and
 * everything that can happen to a request does. In the end no charge, claim or waiting request may
 * be left.
 */
class DispatcherStressTest {
  private static final boolean DEEP = Boolean.getBoolean("penstock.deep");
  private static final TicketRequest ASK = RequestFixture.request(null, Cost.ofInput(1));
  private static final int MOST_ATTEMPTS = 4;
  private static final String[] MODELS = {null, "m", "n"};

  private final StressedGateway gateway = new StressedGateway();

  @AfterEach
  void close() {
    gateway.close();
  }

  /**
   * Two endpoints, each on its own thread, compete for four permits of one upstream, and each
   * ticket is settled as soon as it is granted: so claims are made while tickets leave.
   */
  @Test
  void twoEndpointsShareAnUpstream_clientsSettleAtOnce_neverStops() throws Exception {
    UpstreamSpec upstream = StressedGateway.upstream("u", 1, 0, 4);
    LimitSpec bucket = new LimitSpec.TokenBucket(new ExactRate(100_000, 1), 1_000);
    gateway.apply(
        EndpointWorld.endpoint("/a", 4, upstream),
        EndpointWorld.endpoint("/b", bucket, 4, upstream));
    try (StressClients clients = new StressClients(gateway, any -> ASK, this::served, 0)) {
      clients.run(time(3, 60), () -> {}, 50, "/a", "/b");
      System.out.println("two endpoints, one upstream: " + clients);
    }
    gateway.assertNothingIsLeft();
  }

  @Test
  void everythingAtRandom_leavesNothingBehind() throws Exception {
    StressOperator operator = new StressOperator(gateway, new Random().nextLong());
    operator.reload();
    try (StressClients clients = new StressClients(gateway, this::ask, this::ended, 0.1)) {
      clients.meanwhile(Duration.ofMillis(1), operator::change);
      clients.run(time(7, 120), operator::calm, 20, "/a", "/b", "/c", "/d");
      System.out.println("everything at random: " + clients + ", changes: " + operator.changes());
      assertThat(clients.granted()).isGreaterThan(operator.changes());
    }
    gateway.assertNothingIsLeft();
  }

  private static Duration time(int seconds, int deepSeconds) {
    return Duration.ofSeconds(DEEP ? deepSeconds : seconds);
  }

  private TicketRequest ask(Random random) {
    int caller = random.nextInt(gateway.accounts.size() + 1);
    CallerAccount account = caller == gateway.accounts.size() ? null : gateway.accounts.get(caller);
    WaitPatience patience =
        random.nextInt(10) == 0
            ? new WaitPatience(WaitPatience.UNSTATED, 1 + random.nextInt(20_000_000))
            : WaitPatience.DEFAULT;
    return RequestFixture.of(
            MODELS[random.nextInt(MODELS.length)],
            new Cost(1 + random.nextInt(20), random.nextInt(30), 0))
        .bytes(random.nextInt(100))
        .patience(patience)
        .priority(random.nextInt(10))
        .flow(
            account == null
                ? TicketRequest.Flow.ANONYMOUS
                : new TicketRequest.Flow(account.name(), 1))
        .account(account)
        .made();
  }

  private @Nullable ParkedTicket served(TicketSettlement settlement, int attempt, Random random) {
    settlement.served(new TokenUsage(1, 0, 0), 0, gateway.ticker.nanos());
    return null;
  }

  /** Ends a request in one of all possible ways. */
  private @Nullable ParkedTicket ended(TicketSettlement settlement, int attempt, Random random) {
    long now = gateway.ticker.nanos();
    TokenUsage usage = new TokenUsage(random.nextInt(20), 0, random.nextInt(40));
    switch (random.nextInt(8)) {
      case 0 -> settlement.failed(Refusal.of(RefusalReason.UPSTREAM_UNREACHABLE, "gone"), 3, now);
      case 1 -> settlement.cancelled(CallEnd.answered(null, random.nextInt(40)), now);
      case 2 -> settlement.abandoned(now);
      case 3 -> {
        AttemptFailure[] failures = AttemptFailure.values();
        AttemptFailure failure = failures[random.nextInt(failures.length)];
        ParkedTicket next =
            attempt < MOST_ATTEMPTS ? settlement.retry(failure, random.nextBoolean(), now) : null;
        if (next != null) {
          return next;
        }
        settlement.refused(Refusal.of(RefusalReason.UPSTREAM_UNREACHABLE, "gone"), now);
      }
      default -> {
        settlement.produced(random.nextInt(30), now);
        settlement.served(usage, usage.outputTokens(), gateway.ticker.nanos());
      }
    }
    return null;
  }
}
