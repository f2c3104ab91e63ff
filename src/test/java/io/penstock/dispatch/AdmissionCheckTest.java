package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.strict;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.limit.HeldShares;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.ShareNews;
import io.penstock.model.ModelLimits;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LocalLimitSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of the refusals of tickets that would wait in vain. */
class AdmissionCheckTest {
  private static final long MINUTE = 60 * SECOND;
  private static final long DAY = LimitSpec.Day.NANOS;

  private @Nullable Limit shared;

  private EndpointFixture endpointFixture = new EndpointFixture();

  private static ParkedTicket ask(Endpoint endpoint, String model) {
    return endpoint.submit(RequestFixture.request(model, Cost.ofInput(1)));
  }

  @Test
  void noWay_isToldWhetherTheModelIsServedAtAll() {
    Map<String, String> m = Map.of("m", "m");
    Endpoint endpoint =
        endpointFixture.open(
            none("/a").to(upstream("u", 0, 0, ChargeRule.TOTAL, m, "it has no key")));
    assertThat(refusal(ask(endpoint, "m")))
        .isEqualTo(
            Refusal.of(RefusalReason.NO_HEALTHY_UPSTREAM, "no upstream of this endpoint is enabled")
                .withoutRetry());
    assertThat(refusal(ask(endpoint, "n")))
        .isEqualTo(
            Refusal.of(
                RefusalReason.NO_UPSTREAM_FOR_MODEL,
                "no upstream of this endpoint serves the model"));
  }

  @Test
  void queueIsFull_adviceIsWhenTheNextGoes_ifThatIsKnown() {
    long farAway = Long.MAX_VALUE / 2;
    assertThat(AdmissionCheck.queueFull("1 tickets", 0).retryAfterNanos()).isZero();
    assertThat(AdmissionCheck.queueFull("1 tickets", -1).retryAfterNanos())
        .isEqualTo(Refusal.UNKNOWN);
    assertThat(AdmissionCheck.queueFull("1 tickets", farAway - 1).retryAfterNanos())
        .isEqualTo(farAway - 1);
    assertThat(AdmissionCheck.queueFull("1 tickets", farAway).retryAfterNanos())
        .isEqualTo(Refusal.UNKNOWN);
  }

  @Test
  void timeIsUp_isToldForHowLongItWaited() {
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 60).maxWait(5 * SECOND / 2));
    submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    endpointFixture.at(3 * SECOND);
    assertThat(refusal(second).detail()).isEqualTo("it waited 2.5 s, the longest it may");
  }

  @Test
  void estimateIsTooLong_isToldBothTimes() {
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 4).queueTimeout(3 * SECOND / 2));
    submit(endpoint, 1);
    Refusal refusal = refusal(submit(endpoint, 1));
    assertThat(refusal.detail())
        .isEqualTo("the estimated wait is 4.0 s, longer than the 1.5 s it may take");
    assertThat(refusal.retryAfterNanos()).isEqualTo(5 * SECOND / 2);
  }

  private static UpstreamSpec upstreamOf(UpstreamSpec.Limits limits, ChargeRule charge) {
    return UpstreamSetup.of("u").limits(limits).charge(charge).spec();
  }

  @Test
  void hugeExpectedOutputAhead_countsItsSmallInputAsItIs() {
    UpstreamSpec.Limits limits = new UpstreamSpec.Limits(0, 100, 10, 0, 0, 0);
    Endpoint endpoint = endpointFixture.open(none("/a").to(upstreamOf(limits, ChargeRule.WHOLE)));
    endpoint.submit(RequestFixture.request("m", new Cost(10, 90, 0)));
    endpoint.submit(RequestFixture.request("m", new Cost(1, Cost.MAX_TOKENS, 0)));
    // the one ahead takes all that leaves the limit of input and output after 61 s, and counts
    // there for 61 s; counting 10 input tokens ahead instead, the limit of input would be full too
    WaitPatience short60 = new WaitPatience(60 * SECOND, Long.MAX_VALUE);
    Refusal refusal =
        refusal(
            endpoint.submit(RequestFixture.of("m", new Cost(1, 0, 0)).patience(short60).made()));
    assertThat(refusal.retryAfterNanos()).isEqualTo(62 * SECOND);
  }

  @Test
  void statedMaximumThatNeverFits_isToldTheLimitAndItsSize() {
    UpstreamSpec.Limits limits = new UpstreamSpec.Limits(0, 100, 0, 0, 0, 0);
    Endpoint endpoint = endpointFixture.open(none("/a").to(upstreamOf(limits, ChargeRule.OPENAI)));
    Cost cost = new Cost(1, 0, 101);
    Refusal refusal = refusal(endpoint.submit(RequestFixture.request("m", cost)));
    assertThat(refusal.reason()).isEqualTo(RefusalReason.COST_EXCEEDS_CAPACITY);
    assertThat(refusal.detail())
        .isEqualTo(
            "with its stated maximum of output it counts 101 tokens, more than the tpm of 100 of"
                + " upstream u; state a smaller maximum");
  }

  /** Makes the matching limits shared with other instances. */
  private void share(Predicate<LimitId> which) {
    LocalLimitSource limits =
        new LocalLimitSource(
            (id, limit) -> {
              if (which.test(id)) {
                HeldShares.none(limit, () -> {}, START);
                shared = limit;
              }
            });
    endpointFixture = new EndpointFixture(limits, limits);
  }

  private void away() {
    HeldShares.contact(Objects.requireNonNull(shared), ShareNews.Contact.AWAY);
  }

  private static void assertUnavailable(Refusal refusal) {
    assertThat(refusal)
        .isEqualTo(
            Refusal.of(
                RefusalReason.LIMIT_UNAVAILABLE,
                "Redis is away, and this instance has used up its share of the requests of the"
                    + " day"));
  }

  @Test
  void shareOfTheDayOfTheModelLacksWhileTheStoreIsAway_isRefused() {
    share(id -> id.measure() == LimitMeasure.REQUESTS && id.durationNanos() == DAY);
    endpointFixture.models.configure(List.of(), Map.of("m", new ModelLimits(0, 0, 5)), START);
    Endpoint endpoint = endpointFixture.open(none("/a").to(upstream("u", 0, 0)));
    endpointFixture.models.of("m", START);
    away();
    endpointFixture.at(SECOND);
    assertUnavailable(refusal(ask(endpoint, "m")));
    assertThat(went(ask(endpoint, "n"))).isTrue();
  }

  @Test
  void shareOfTheDayOfTheUpstreamLacksWhileTheStoreIsAway_isRefused() {
    share(id -> id.measure() == LimitMeasure.REQUESTS && id.durationNanos() == DAY);
    UpstreamSpec.Limits limits = new UpstreamSpec.Limits(0, 0, 0, 0, 5, 0);
    Endpoint endpoint = endpointFixture.open(none("/a").to(upstreamOf(limits, ChargeRule.TOTAL)));
    Objects.requireNonNull(endpointFixture.upstreams.find("u")).pool("m", START);
    away();
    assertUnavailable(refusal(ask(endpoint, "m")));
  }

  @Test
  void shareOfTheMinuteLacksWhileTheStoreIsAway_isToldThatTheDayIsUsedUp() {
    share(id -> id.measure() == LimitMeasure.REQUESTS && id.durationNanos() == MINUTE);
    endpointFixture.models.configure(List.of(), Map.of("m", new ModelLimits(5, 0, 1)), START);
    Endpoint endpoint = endpointFixture.open(none("/a").to(upstream("u", 0, 0)));
    endpointFixture.models.of("m", START);
    HeldShares.give(Objects.requireNonNull(shared), 1, START);
    assertThat(went(ask(endpoint, "m"))).isTrue();
    away();
    Refusal refusal = refusal(ask(endpoint, "m"));
    assertThat(refusal.reason()).isEqualTo(RefusalReason.MODEL_RPD);
    assertThat(refusal.retryAfterNanos()).isEqualTo(DAY);
  }

  @Test
  void shareOfTheMinuteAloneLacksWhileTheStoreIsAway_waits() {
    share(id -> id.measure() == LimitMeasure.REQUESTS && id.durationNanos() == MINUTE);
    endpointFixture.models.configure(List.of(), Map.of("m", new ModelLimits(5, 0, 0)), START);
    Endpoint endpoint = endpointFixture.open(none("/a").to(upstream("u", 0, 0)));
    endpointFixture.models.of("m", START);
    away();
    assertThat(waits(ask(endpoint, "m"))).isTrue();
  }
}
