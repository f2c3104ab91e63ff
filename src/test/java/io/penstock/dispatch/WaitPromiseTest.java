package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.TokenUsage;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.EndpointSpec.Waiting;
import io.penstock.endpoint.FakeCallers;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.ProviderNotice;
import io.penstock.model.ModelLimits;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Compares the waits that are promised with what then happens, for all algorithms, orders and kinds
 * of obstacles. After a promise nobody else comes, and answers use what was expected. Then a
 * promise is true within 10 % or 250 ms; one that is a bound is not later than the truth.
 */
class WaitPromiseTest {
  private static final long TOLERANCE = SECOND / 4;
  private static final long LONGEST = 1_200 * SECOND;
  private static final long STEP = SECOND / 4;
  private static final List<QueueOrder> ORDERS =
      List.of(QueueOrder.FIFO, QueueOrder.PRIORITY, QueueOrder.DEADLINE, QueueOrder.FAIR);

  private enum Obstacle {
    ENDPOINT,
    KEY,
    GROUP,
    MODEL,
    POOL,
    PACE,
    DEBT,
    RESERVED,
    LOWERED,
    SEVERAL
  }

  /** A promise and what happened. */
  private record Outcome(long promised, boolean bound, long truth) {
    long error() {
      long late = promised - truth;
      return bound ? Math.max(0, late) : Math.abs(late);
    }

    boolean kept() {
      return error() <= Math.max(TOLERANCE, truth / 10);
    }
  }

  /** An endpoint at which some tickets have come, and answers that run. */
  private static final class World {
    final EndpointFixture fixture = new EndpointFixture();
    final FakeCallers callers = new FakeCallers();
    final LimitAlgorithm algorithm;
    final QueueOrder order;
    final Obstacle obstacle;
    final Endpoint endpoint;
    final FakeCallers.@Nullable Caller caller;
    final List<Answer> answers = new ArrayList<>();
    int arrivals;

    private record Answer(long endsAt, TicketSettlement settlement, TokenUsage usage) {}

    World(LimitAlgorithm algorithm, QueueOrder order, Obstacle obstacle) {
      this.algorithm = algorithm;
      this.order = order;
      this.obstacle = obstacle;
      this.caller = caller();
      if (obstacle == Obstacle.MODEL) {
        fixture.models.configure(
            List.of(), Map.of("m", new ModelLimits(20, 0, 0)), fixture.ticker.nanos());
      }
      Scheduling scheduling = new Scheduling(order, 0, 64, new FairBy.Key());
      QueueBounds bounds = new QueueBounds(1_000, QueueBounds.UNLIMITED, QueueBounds.UNLIMITED);
      // Only the estimate refuses: a timeout ends no wait.
      Waiting waiting = EndpointSetup.waiting(bounds, 0, 0, true, 0);
      this.endpoint =
          fixture.open(EndpointSetup.of("/a", limit()).to(upstreams()), scheduling, waiting);
    }

    private FakeCallers.@Nullable Caller caller() {
      return switch (obstacle) {
        case KEY ->
            callers.waiting("alice").limit(LimitMeasure.REQUESTS, 20, RefusalReason.KEY_RPM);
        case GROUP ->
            callers
                .waiting("alice")
                .in(
                    callers
                        .group("team")
                        .limit(LimitMeasure.REQUESTS, 20, RefusalReason.GROUP_RPM));
        default -> null;
      };
    }

    private LimitSpec limit() {
      return switch (algorithm) {
        case STRICT -> new LimitSpec.Strict(new ExactRate(40, 60), 0);
        case TOKEN_BUCKET -> new LimitSpec.TokenBucket(new ExactRate(40, 60), 8);
        case SLIDING_WINDOW -> new LimitSpec.SlidingWindow(25, 60 * SECOND);
        case TOKEN_WINDOW -> new LimitSpec.FixedWindow(60, 60 * SECOND);
        case NONE -> new LimitSpec.Unlimited();
      };
    }

    private static UpstreamSpec upstream(String id, long rpm, long tpm, int burstSeconds) {
      return UpstreamSetup.of(id).limits(rpm, tpm, 0, 0).burstSeconds(burstSeconds).spec();
    }

    private UpstreamSpec[] upstreams() {
      return switch (obstacle) {
        case ENDPOINT, KEY, GROUP, MODEL -> new UpstreamSpec[] {upstream("u", 0, 0, 60)};
        case POOL -> new UpstreamSpec[] {upstream("u", 20, 0, 60)};
        case PACE -> new UpstreamSpec[] {upstream("u", 30, 0, 5)};
        case DEBT -> new UpstreamSpec[] {upstream("u", 0, 40, 60)};
        case RESERVED -> new UpstreamSpec[] {upstream("u", 0, 100, 60)};
        case LOWERED -> new UpstreamSpec[] {upstream("u", 60, 0, 60)};
        case SEVERAL ->
            new UpstreamSpec[] {
              upstream("u", 12, 0, 60), upstream("v", 8, 0, 60), upstream("w", 20, 0, 5)
            };
      };
    }

    private Cost cost() {
      return obstacle == Obstacle.RESERVED ? new Cost(1, 4, 0) : Cost.ofInput(1);
    }

    private ParkedTicket submit(int number, long timeoutNanos) {
      String flow = order == QueueOrder.FAIR ? "flow" + number % 3 : "one";
      WaitPatience patience =
          new WaitPatience(timeoutNanos, LONGEST * 2 + number % 5 * 100L * SECOND);
      ParkedTicket ticket =
          endpoint.submit(
              RequestFixture.of("m", cost())
                  .patience(patience)
                  .priority(number % 3)
                  .flow(new TicketRequest.Flow(flow, 1))
                  .account(caller == null ? null : caller.account)
                  .made());
      fixture.drivers.run();
      return ticket;
    }

    private void whenGranted(ParkedTicket ticket, List<Long> instants) {
      ticket.whenDecided(
          outcome -> {
            if (outcome instanceof TicketOutcome.Granted(TicketSettlement settlement)
                && ticket.take()) {
              long now = fixture.ticker.nanos();
              instants.add(now);
              TokenUsage usage = new TokenUsage(cost().inputTokens(), 0, cost().outputTokens());
              answers.add(new Answer(now + 10 * SECOND, settlement, usage));
            }
          });
    }

    private void until(long instant) {
      while (fixture.ticker.nanos() < instant) {
        fixture.drivers.advanceTo(Math.min(instant, fixture.ticker.nanos() + STEP));
        long now = fixture.ticker.nanos();
        List<Answer> ended = answers.stream().filter(each -> each.endsAt() <= now).toList();
        answers.removeAll(ended);
        ended.forEach(
            each -> each.settlement().served(each.usage(), each.usage().outputTokens(), now));
        fixture.drivers.run();
      }
    }

    void prepare() {
      long now = fixture.ticker.nanos();
      if (obstacle == Obstacle.DEBT) {
        ParkedTicket first = submit(0, 0);
        EndpointFixture.settlement(first).served(new TokenUsage(70, 0, 0), 0, now);
      } else if (obstacle == Obstacle.LOWERED) {
        submit(0, 0);
        Upstream upstream = Objects.requireNonNull(fixture.upstreams.find("u"));
        upstream
            .pool("m", now)
            .limits()
            .getFirst()
            .limit()
            .feedback()
            .applyNotice(
                new ProviderNotice(1, now, 15, ProviderNotice.UNSTATED, ProviderNotice.UNSTATED),
                now);
      }
    }

    /** Lets {@code before} tickets come, asks for a promise, and waits for what happens. */
    List<Outcome> play(int before) {
      prepare();
      List<Long> ignored = new ArrayList<>();
      for (int each = 0; each < before; each++) {
        whenGranted(submit(arrivals++, 0), ignored);
        until(fixture.ticker.nanos() + SECOND / 4);
      }
      long asked = fixture.ticker.nanos();
      List<Long> went = new ArrayList<>();
      ParkedTicket probe = submit(arrivals, 1);
      if (!(probe.outcome() instanceof TicketOutcome.Refused(Refusal refusal))) {
        whenGranted(probe, went);
        assertThat(went).as("it goes at once").containsExactly(asked);
        return List.of();
      }
      assertThat(refusal.reason()).isEqualTo(RefusalReason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT);
      long promised = refusal.retryAfterNanos() + 1;
      boolean bound = refusal.detail().contains("at least");
      ParkedTicket real = submit(arrivals, 0);
      whenGranted(real, went);
      WaitForecast[] listed = {WaitForecast.UNKNOWN};
      fixture
          .registry
          .tickets()
          .list(
              endpoint,
              1_000,
              snapshot ->
                  snapshot.places().stream()
                      .filter(place -> place.ticket() == real)
                      .forEach(place -> listed[0] = place.expected()));
      fixture.drivers.run();
      while (went.isEmpty() && fixture.ticker.nanos() < asked + LONGEST) {
        until(fixture.ticker.nanos() + STEP);
      }
      long truth = went.isEmpty() ? LONGEST : went.getFirst() - asked;
      return List.of(
          new Outcome(promised, bound, truth),
          new Outcome(listed[0].waitNanos(), listed[0].bound(), truth));
    }
  }

  @Test
  void everyPromise_comesTrue() {
    List<String> broken = new ArrayList<>();
    StringBuilder table =
        new StringBuilder("largest error in ms (≥ where any is a bound)%n".formatted());
    table.append("%-26s".formatted(""));
    for (Obstacle obstacle : Obstacle.values()) {
      table.append("%10s".formatted(obstacle));
    }
    for (LimitAlgorithm algorithm : LimitAlgorithm.values()) {
      for (QueueOrder order : ORDERS) {
        table.append("%n%-26s".formatted(algorithm + " " + order));
        for (Obstacle obstacle : Obstacle.values()) {
          long worst = -1;
          boolean bound = false;
          for (int before : new int[] {3, 12, 26, 45, 90}) {
            List<Outcome> outcomes = new World(algorithm, order, obstacle).play(before);
            for (int each = 0; each < outcomes.size(); each++) {
              Outcome outcome = outcomes.get(each);
              worst = Math.max(worst, outcome.error() / 1_000_000);
              bound |= outcome.bound();
              if (!outcome.kept()) {
                broken.add(
                    "%s %s %s behind %d, %s: %s"
                        .formatted(
                            algorithm,
                            order,
                            obstacle,
                            before,
                            each == 0 ? "at arrival" : "in the list",
                            outcome));
              }
            }
          }
          table.append("%10s".formatted(worst < 0 ? "–" : (bound ? "≥" : "") + worst));
        }
      }
    }
    System.out.println(table);
    assertThat(broken).isEmpty();
  }
}
