package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.strict;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.limit.Demand;
import io.penstock.limit.Grid;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.Supplied;
import io.penstock.limit.Tally;
import io.penstock.pool.UpstreamSpec;
import io.penstock.quota.LimitId;
import io.penstock.quota.LocalLimitSource;
import io.penstock.quota.ModelLimits;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of the refusals of tickets that would wait in vain. */
class AdmissionTest {
  private static final long MINUTE = 60 * SECOND;
  private static final long DAY = LimitSpec.Day.NANOS;

  private @Nullable Limit shared;

  private House house = new House();

  private static Pending ask(Endpoint endpoint, String model) {
    return endpoint.submit(Ask.of(model, Cost.ofInput(1), 0, Patience.DEFAULT));
  }

  @Test
  void noWay_isToldWhetherTheModelIsServedAtAll() {
    Map<String, String> m = Map.of("m", "m");
    Endpoint endpoint =
        house.open(none("/a").to(upstream("u", 0, 0, Charge.TOTAL, m, "it has no key")));
    assertThat(refusal(ask(endpoint, "m")))
        .isEqualTo(
            Refusal.of(Reason.NO_HEALTHY_UPSTREAM, "no upstream of this endpoint is enabled"));
    assertThat(refusal(ask(endpoint, "n")))
        .isEqualTo(
            Refusal.of(
                Reason.NO_UPSTREAM_FOR_MODEL, "no upstream of this endpoint serves the model"));
  }

  @Test
  void queueIsFull_adviceIsWhenTheNextGoes_ifThatIsKnown() {
    long farAway = Long.MAX_VALUE / 2;
    assertThat(Admission.queueFull("1 tickets", 0).retryAfterNanos()).isZero();
    assertThat(Admission.queueFull("1 tickets", -1).retryAfterNanos()).isEqualTo(Refusal.UNKNOWN);
    assertThat(Admission.queueFull("1 tickets", farAway - 1).retryAfterNanos())
        .isEqualTo(farAway - 1);
    assertThat(Admission.queueFull("1 tickets", farAway).retryAfterNanos())
        .isEqualTo(Refusal.UNKNOWN);
  }

  @Test
  void timeIsUp_isToldForHowLongItWaited() {
    Endpoint endpoint = house.open(strict("/a", 1, 60).maxWait(5 * SECOND / 2));
    submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    house.at(3 * SECOND);
    assertThat(refusal(second).detail()).isEqualTo("it waited 2.5 s, the longest it may");
  }

  @Test
  void estimateIsTooLong_isToldBothTimes() {
    Endpoint endpoint = house.open(strict("/a", 1, 4).queueTimeout(3 * SECOND / 2));
    submit(endpoint, 1);
    Refusal refusal = refusal(submit(endpoint, 1));
    assertThat(refusal.detail())
        .isEqualTo("the estimated wait is 4.0 s, longer than the 1.5 s it may take");
    assertThat(refusal.retryAfterNanos()).isEqualTo(5 * SECOND / 2);
  }

  private static UpstreamSpec upstreamOf(UpstreamSpec.Limits limits, Charge charge) {
    UpstreamSpec.Timeouts timeouts = new UpstreamSpec.Timeouts(SECOND, SECOND, SECOND);
    URI url = URI.create("mock://u");
    return new UpstreamSpec(
        "u", url, null, null, Map.of(), Map.of(), 1, limits, charge, 0, 60, timeouts);
  }

  @Test
  void hugeStatedOutputAhead_countsItsSmallInputAsItIs() {
    UpstreamSpec.Limits limits = new UpstreamSpec.Limits(0, 100, 10, 0);
    Endpoint endpoint = house.open(none("/a").to(upstreamOf(limits, Charge.OPENAI)));
    endpoint.submit(Ask.of("m", new Cost(10, 0, 100), 0, Patience.DEFAULT));
    endpoint.submit(Ask.of("m", new Cost(1, 0, Cost.MAX_TOKENS), 0, Patience.DEFAULT));
    // by the limit of input and output: (100 ahead + 1 own) × 60 s ÷ 100; counting 10 input tokens
    // ahead instead, it would be 66 s
    Patience short60 = new Patience(60 * SECOND, Long.MAX_VALUE);
    Refusal refusal = refusal(endpoint.submit(Ask.of("m", new Cost(1, 0, 1), 0, short60)));
    assertThat(refusal.retryAfterNanos()).isEqualTo(6 * SECOND / 10);
  }

  /** Makes the matching limits shared with other instances. */
  private void share(Predicate<LimitId> which) {
    LocalLimitSource limits =
        new LocalLimitSource(
            (id, limit) -> {
              if (which.test(id)) {
                limit.share(new Demand(() -> {}), START);
                shared = limit;
              }
            });
    house = new House(limits, limits);
  }

  private void bar(long cellNanos) {
    Limit limit = Objects.requireNonNull(shared);
    limit.tally(new Grid(7, START, cellNanos), 7, 7, 100, START);
    limit.granted(
        List.of(new Tally.Counted(7, 0)),
        new Supplied(100, 0, START, START + cellNanos, true, 0, START + cellNanos),
        cell -> Grid.Span.NEVER);
  }

  private static void assertRecovers(Refusal refusal, long retryAfterNanos) {
    assertThat(refusal)
        .isEqualTo(
            new Refusal(
                Reason.LIMIT_RECOVERING,
                "Redis has lost data, and an instance that is gone may have used up the requests"
                    + " of the day; nothing more is granted until the day ends",
                retryAfterNanos));
  }

  @Test
  void dayOfTheModelMayBeSpentByOneThatIsGone_isRefusedUntilItEnds() {
    share(id -> id.measure() == Measure.REQUESTS && id.durationNanos() == DAY);
    house.models.configure(List.of(), Map.of("m", new ModelLimits(0, 0, 5)), START);
    Endpoint endpoint = house.open(none("/a").to(upstream("u", 0, 0)));
    house.models.of("m", START);
    bar(DAY);
    house.at(SECOND);
    assertRecovers(refusal(ask(endpoint, "m")), DAY - SECOND);
    assertThat(went(ask(endpoint, "n"))).isTrue();
  }

  @Test
  void dayOfTheUpstreamMayBeSpentByOneThatIsGone_isRefusedUntilItEnds() {
    share(id -> id.measure() == Measure.REQUESTS && id.durationNanos() == DAY);
    UpstreamSpec.Limits limits = new UpstreamSpec.Limits(0, 0, 0, 0, 5, 0);
    Endpoint endpoint = house.open(none("/a").to(upstreamOf(limits, Charge.TOTAL)));
    Objects.requireNonNull(house.upstreams.find("u")).pool("m", START);
    bar(DAY);
    assertRecovers(refusal(ask(endpoint, "m")), DAY);
  }

  @Test
  void onlyTheMinuteMayBeSpentByOneThatIsGone_isToldThatTheDayIsUsedUp() {
    share(id -> id.measure() == Measure.REQUESTS && id.durationNanos() == MINUTE);
    house.models.configure(List.of(), Map.of("m", new ModelLimits(5, 0, 1)), START);
    Endpoint endpoint = house.open(none("/a").to(upstream("u", 0, 0)));
    house.models.of("m", START);
    Objects.requireNonNull(shared)
        .granted(
            List.of(new Tally.Counted(0, 1)),
            new Supplied(100, Long.MAX_VALUE, 0, 0),
            cell -> new Grid.Span(START, 2 * START));
    assertThat(went(ask(endpoint, "m"))).isTrue();
    bar(MINUTE);
    Refusal refusal = refusal(ask(endpoint, "m"));
    assertThat(refusal.reason()).isEqualTo(Reason.MODEL_RPD);
    assertThat(refusal.retryAfterNanos()).isEqualTo(DAY);
  }

  @Test
  void minuteAloneMayBeSpentByOneThatIsGone_waits() {
    share(id -> id.measure() == Measure.REQUESTS && id.durationNanos() == MINUTE);
    house.models.configure(List.of(), Map.of("m", new ModelLimits(5, 0, 0)), START);
    Endpoint endpoint = house.open(none("/a").to(upstream("u", 0, 0)));
    house.models.of("m", START);
    bar(MINUTE);
    assertThat(waits(ask(endpoint, "m"))).isTrue();
  }
}
