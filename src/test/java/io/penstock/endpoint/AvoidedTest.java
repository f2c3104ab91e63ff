package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pool.Failure;
import io.penstock.pool.Lesson;
import io.penstock.pool.Tries;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of a request that failed at upstream u and then avoids it in favour of upstream v, as long
 * as v can be relied on.
 */
class AvoidedTest {
  private static final UpstreamSpec U = upstream("u", 0, 1_000);
  private static final Tries FIRST = new Tries(null, 0, 1, true);

  private final House house = new House();

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  /** Opens an endpoint with both upstreams, and another that has only v. */
  private Endpoint open(UpstreamSpec v) {
    house.apply(House.none("/a").to(U, v), House.none("/v").to(v));
    return house.endpoint("/a");
  }

  /** Takes that many tokens of v, by a request of the endpoint that has only v. */
  private Pending useV(long tokens) {
    Pending used = submit(house.endpoint("/v"), tokens);
    assertThat(went(used)).isTrue();
    return used;
  }

  private static String goesTo(Pending pending) {
    return Objects.requireNonNull(settlement(pending).upstream()).spec().id();
  }

  private Upstream v() {
    return Objects.requireNonNull(house.upstreams.find("v"));
  }

  private long now() {
    return house.ticker.nanos();
  }

  /** Fails a request at u, so that it is tried again, elsewhere if possible. */
  private Pending failsAtU(Pending pending) {
    assertThat(goesTo(pending)).isEqualTo("u");
    Pending next = settlement(pending).again(Failure.BROKEN, true, now());
    house.drivers.run();
    return Objects.requireNonNull(next);
  }

  private void vFails(int times) {
    for (int each = 0; each < times; each++) {
      v().judge(FIRST, Failure.UNSENT, now());
    }
    house.drivers.run();
  }

  private void vRefuses(long retryAfterNanos) {
    v().judge(
            new Tries(null, 1, 0, true),
            new Lesson(429, List.of(), retryAfterNanos, Lesson.Wording.RATE),
            now());
    house.drivers.run();
  }

  /** Returns an upstream with a limit of tokens a minute and one of requests a day. */
  private static UpstreamSpec daily(long tpm, long rpd) {
    UpstreamSpec spec = upstream("v", 0, 0);
    UpstreamSpec.Budget budget = spec.budget();
    return new UpstreamSpec(
        "v",
        spec.url(),
        spec.access(),
        spec.models(),
        1,
        new UpstreamSpec.Budget(
            new UpstreamSpec.Limits(0, tpm, 0, 0, rpd, 0),
            List.of(),
            budget.day(),
            budget.charge(),
            false,
            0,
            budget.burstSeconds()),
        spec.link(),
        true);
  }

  @Test
  void otherIsUnhealthy_goesToTheSameAtOnce() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(10);
    Pending first = submit(endpoint, 1);
    vFails(3);

    assertThat(goesTo(failsAtU(first))).isEqualTo("u");
  }

  @Test
  void otherIsPausedForLong_goesToTheSameAtOnce() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(10);
    Pending first = submit(endpoint, 1);
    vRefuses(SECOND + 1);

    assertThat(goesTo(failsAtU(first))).isEqualTo("u");
  }

  @Test
  void otherIsPausedForASecond_waitsForIt() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(10);
    Pending first = submit(endpoint, 1);
    vRefuses(SECOND);

    Pending back = failsAtU(first);
    assertThat(waits(back)).isTrue();
    house.at(SECOND);
    assertThat(goesTo(back)).isEqualTo("v");
  }

  @Test
  void otherIsOutForItsDay_goesToTheSameAtOnce() {
    Endpoint endpoint = open(daily(0, 1));
    useV(10);

    assertThat(goesTo(failsAtU(submit(endpoint, 1)))).isEqualTo("u");
  }

  @Test
  void otherIsFullForAMinute_waitsForIt() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(100);

    Pending back = failsAtU(submit(endpoint, 50));
    house.at(30 * SECOND);
    assertThat(waits(back)).isTrue();
    house.at(62 * SECOND);
    assertThat(goesTo(back)).isEqualTo("v");
  }

  @Test
  void otherBecomesUnhealthyMeanwhile_goesToTheSameThen() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(100);
    Pending back = failsAtU(submit(endpoint, 50));

    vFails(2);
    assertThat(waits(back)).isTrue();
    vFails(1);
    assertThat(goesTo(back)).isEqualTo("u");
    assertThat(settlement(back).waitedNanos()).isZero();
  }

  @Test
  void otherIsPausedForLongMeanwhile_goesToTheSameThen() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(100);
    Pending back = failsAtU(submit(endpoint, 50));

    vRefuses(SECOND);
    assertThat(waits(back)).isTrue();
    vRefuses(30 * SECOND);
    assertThat(goesTo(back)).isEqualTo("u");
  }

  @Test
  void otherIsOutForItsDayMeanwhile_goesToTheSameThen() {
    Endpoint endpoint = open(daily(100, 2));
    useV(90);
    Pending back = failsAtU(submit(endpoint, 50));
    assertThat(waits(back)).isTrue();

    useV(5);
    house.drivers.run();
    assertThat(goesTo(back)).isEqualTo("u");
  }

  @Test
  void otherBecomesUnhealthyForAnotherModel_goesToTheSameThen() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(100);
    Pending back = failsAtU(submit(endpoint, 50));

    for (Lesson.Wording wording : List.of(Lesson.Wording.RATE, Lesson.Wording.SPENT)) {
      assertThat(waits(back)).isTrue();
      Lesson lesson = new Lesson(429, List.of(), 30 * SECOND, wording);
      v().judge(new Tries("another", 1, 0, true), lesson, now());
      house.drivers.run();
    }
    assertThat(goesTo(back)).isEqualTo("u");
  }

  @Test
  void bothAreUnwell_theOneThatIsTriedFirstServes() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(10);
    Pending first = submit(endpoint, 1);
    v().health().tryFrom(START + 60 * SECOND, 60 * SECOND);
    Objects.requireNonNull(house.upstreams.find("u"))
        .health()
        .tryFrom(START + 2 * SECOND, 2 * SECOND);

    Pending back = failsAtU(first);
    assertThat(waits(back)).isTrue();
    house.at(2 * SECOND);
    assertThat(goesTo(back)).isEqualTo("u");
  }

  @Test
  void stopsAvoidingWhileItWaits_keepsItsPlaceAmongOthers() {
    UpstreamSpec u = upstream("u", 0, 100);
    UpstreamSpec v = upstream("v", 0, 100);
    house.apply(House.none("/a").to(u, v), House.none("/v").to(v), House.none("/u").to(u));
    Endpoint endpoint = house.endpoint("/a");
    useV(100);
    Pending back = failsAtU(submit(endpoint, 50));
    house.at(10 * SECOND);
    submit(house.endpoint("/u"), 50);
    Pending behind = submit(endpoint, 50);
    assertThat(List.of(back, behind)).allMatch(House::waits);

    vFails(3);
    v().health().tryFrom(START + 600 * SECOND, SECOND);
    assertThat(List.of(back, behind)).allMatch(House::waits);
    house.at(61 * SECOND);
    assertThat(goesTo(back)).isEqualTo("u");
    assertThat(waits(behind)).isTrue();
  }

  @Test
  void pausedEndpoint_looksAgainWhenItGoesOn() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(100);
    Pending back = failsAtU(submit(endpoint, 50));
    endpoint.pause(true);
    house.drivers.run();
    vFails(3);
    assertThat(waits(back)).isTrue();

    endpoint.pause(false);
    house.drivers.run();
    assertThat(goesTo(back)).isEqualTo("u");
  }
}
