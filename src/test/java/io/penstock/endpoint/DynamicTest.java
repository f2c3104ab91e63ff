package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Usage;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.limit.Demand;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.Bounds;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of dynamic endpoints, which requests create. */
class DynamicTest {
  private static final long IDLE = Registry.IDLE_NANOS;

  private final LiveLimits limits = new LiveLimits();
  private final House house = new House(limits);

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  static EndpointSpec dynamic(House.Setup setup, int most) {
    return dynamic(setup, new EndpointSpec.Descendants(true, most));
  }

  private static EndpointSpec dynamic(House.Setup setup, EndpointSpec.Descendants descendants) {
    EndpointSpec spec = setup.spec();
    return new EndpointSpec(
        spec.path(),
        spec.path(),
        spec.algorithm(),
        spec.limit(),
        spec.scheduling(),
        spec.waiting(),
        spec.reading(),
        descendants,
        false,
        true,
        spec.upstreams(),
        Map.of("path", spec.path(), "rate", 5));
  }

  private void apply(EndpointSpec... specs) {
    house.registry.apply(List.of(specs));
    house.drivers.run();
  }

  private Endpoint enter(String path) {
    return Objects.requireNonNull(house.registry.enter(path));
  }

  private Set<String> paths() {
    return house.registry.all().stream().map(Endpoint::path).collect(Collectors.toSet());
  }

  @Test
  void unknownPath_becomesAnEndpointOfItsOwnWithTheAncestorsSettings() {
    EndpointSpec parent = dynamic(House.strict("/a", 1, 60).bounds(3, 30, 300), 10);
    apply(parent, House.none("/").spec());
    Endpoint child = enter("/a/b/c");
    assertThat(child.path()).isEqualTo("/a/b/c");
    EndpointSpec spec = child.spec();
    assertThat(spec.isDynamic()).isTrue();
    assertThat(spec.configuredPath()).isEqualTo("/a");
    assertThat(spec.shown()).isEqualTo(Map.of("path", "/a/b/c", "rate", 5, "dynamic", true));
    assertThat(spec.waiting().bounds()).isEqualTo(new Bounds(3, 30, 300));
    assertThat(spec.limit()).isEqualTo(parent.limit());
    assertThat(enter("/a/b/c")).isSameAs(child);
    assertThat(house.registry.find("/a/b/c")).isSameAs(child);
    // The child is not configured itself, so a path below it belongs to the same ancestor.
    assertThat(enter("/a/b/c/d").spec().configuredPath()).isEqualTo("/a");
    assertThat(enter("/x").path()).isEqualTo("/");
    assertThat(enter("/a").path()).isEqualTo("/a");
  }

  @Test
  void eachHasItsOwnQueueAndLimit_andSharesTheUpstream() {
    apply(dynamic(House.strict("/a", 1, 60).to(upstream("u", 3, 0)), 10));
    Endpoint one = enter("/a/1");
    Endpoint two = enter("/a/2");
    assertThat(went(submit(one, 1))).isTrue();
    assertThat(waits(submit(one, 1))).isTrue();
    assertThat(went(submit(two, 1))).isTrue();
    assertThat(went(submit(enter("/a"), 1))).isTrue();
    assertThat(waits(submit(enter("/a/3"), 1))).isTrue();
    assertThat(one.totals().requests(Fate.WAITING)).isEqualTo(1);
    assertThat(two.totals().requests(Fate.WAITING)).isZero();
  }

  @Test
  void atTheBound_theAncestorServes() {
    apply(dynamic(House.none("/a"), 2), dynamic(House.none("/b"), 3));
    enter("/a/1");
    enter("/a/2");
    assertThat(enter("/a/3").path()).isEqualTo("/a");
    assertThat(enter("/a/1").path()).isEqualTo("/a/1");
    assertThat(enter("/b/1").path()).isEqualTo("/b/1"); // the bound is on all dynamic endpoints
    assertThat(enter("/b/2").path()).isEqualTo("/b");
  }

  @Test
  void noMatch_isNone() {
    apply(dynamic(House.none("/a"), 2));
    assertThat(house.registry.enter("/b")).isNull();
    assertThat(house.registry.enter("a/b")).isNull();
    assertThat(house.registry.enter("")).isNull();
  }

  @ParameterizedTest
  @CsvSource({"//a///b//, /a/b", "/a/%62/%c3%a9, /a/b/%C3%A9", "/%61/, /a", "/a/.b, /a/.b"})
  void pathOfARequest_isNormalisedFirst(String written, String path) {
    apply(dynamic(House.none("/a"), 2));
    assertThat(enter(written).path()).isEqualTo(path);
    assertThat(enter(path)).isSameAs(enter(written));
    assertThat(house.registry.find(written)).isSameAs(enter(path));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a/%zz",
        "/a/%00",
        "/a/b%",
        "/a/../b",
        "/a/%2e",
        "/a/b\\c",
        "/a/b%5Cc",
        "/a/b%2fc"
      })
  void pathThatIsNoneForAnEndpoint_isTheAncestors(String path) {
    apply(dynamic(House.none("/a"), 2));
    assertThat(enter(path).path()).isEqualTo("/a");
  }

  @Test
  void longPath_isTheAncestors() {
    apply(dynamic(House.none("/a"), 2));
    String longest = "/a/" + "b".repeat(Registry.LONGEST_DYNAMIC - 3);
    assertThat(enter(longest).path()).isEqualTo(longest);
    assertThat(enter(longest + "b").path()).isEqualTo("/a");
    assertThat(enter("/a" + "/b".repeat(4_096)).path()).isEqualTo("/a");
    assertThat(enter("/%61" + "/".repeat(8_192)).path()).isEqualTo("/a");
  }

  @Test
  void manyPaths_costNoMoreThanTheBound() {
    apply(dynamic(House.strict("/a", 1, 60), 100));
    for (int each = 0; each < 100_000; each++) {
      Endpoint endpoint = enter("/a/" + each);
      assertThat(endpoint.path()).isEqualTo(each < 100 ? "/a/" + each : "/a");
      endpoint.leave();
    }
    assertThat(house.registry.dynamic()).hasSize(100);
    assertThat(limits.live()).hasSize(101);
    house.at(IDLE);
    assertThat(house.registry.dynamic()).isEmpty();
    assertThat(limits.live()).hasSize(1);
    assertThat(limits.doubled()).isEmpty();
  }

  @Test
  void manyPathsOneAfterTheOther_leaveNothingBehind() {
    apply(dynamic(House.strict("/a", 1, 60), 10));
    for (int each = 0; each < 1_000; each++) {
      for (int child = 0; child < 10; child++) {
        Endpoint endpoint = enter("/a/" + each + "/" + child);
        assertThat(endpoint.spec().isDynamic()).isTrue();
        settlement(submit(endpoint, 1)).permitted(house.ticker.nanos());
        endpoint.leave();
      }
      house.at((each + 1) * IDLE);
    }
    assertThat(paths()).containsOnly("/a");
    assertThat(limits.live()).hasSize(1);
    assertThat(house.endpoint("/a").totals().requests(Fate.SERVED)).isEqualTo(10_000);
  }

  @Test
  void idleForTenMinutes_isReclaimedAndItsAncestorTellsItsTotals() {
    apply(dynamic(House.none("/a"), 1));
    Endpoint child = enter("/a/b");
    house.at(3 * SECOND);
    settlement(submit(child, 7)).permitted(house.ticker.nanos());
    child.refused(Cost.ofInput(5), 2, Refusal.of(Reason.BAD_REQUEST, "no"));
    child.leave();
    house.at(3 * SECOND + IDLE - 1);
    assertThat(paths()).containsOnly("/a", "/a/b");
    house.at(3 * SECOND + IDLE);
    assertThat(paths()).containsOnly("/a");
    Totals totals = house.endpoint("/a").totals();
    assertThat(totals.requests(Fate.OFFERED)).isEqualTo(2);
    assertThat(totals.tokens(Fate.SERVED)).isEqualTo(7);
    assertThat(totals.bytes(Fate.REFUSED)).isEqualTo(2);
    assertThat(enter("/a/c").path()).isEqualTo("/a/c"); // there is room again
    assertThat(house.registry.find("/a/b")).isSameAs(house.endpoint("/a"));
  }

  @Test
  void lastUse_isWhatCounts() {
    apply(dynamic(House.none("/a"), 1));
    enter("/a/b").leave();
    house.at(IDLE / 2);
    enter("/a/b").leave();
    house.at(IDLE / 2 + IDLE - 1);
    assertThat(paths()).contains("/a/b");
    house.at(IDLE / 2 + IDLE);
    assertThat(paths()).containsOnly("/a");
  }

  @Test
  void somebodyInside_keepsItHoweverLong_andNothingTicks() {
    apply(dynamic(House.none("/a"), 1));
    Endpoint child = enter("/a/b");
    enter("/a/b").leave();
    house.at(10 * IDLE);
    assertThat(house.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
    assertThat(house.registry.find("/a/b")).isSameAs(child);
    child.leave();
    house.at(11 * IDLE - 1);
    assertThat(paths()).contains("/a/b");
    house.at(11 * IDLE);
    assertThat(paths()).containsOnly("/a");
  }

  @Test
  void enteredAndLeftWhileTheAlarmWasOff_isWatchedAgain() {
    apply(dynamic(House.none("/a"), 1));
    Endpoint child = enter("/a/b");
    child.leave();
    enter("/a/b");
    house.at(IDLE); // a request is in flight: the watch ends
    child.leave();
    house.at(2 * IDLE);
    assertThat(paths()).containsOnly("/a");
  }

  @Test
  void ticketThatIsNotSettled_isInsideThoughItsRequestHasLeft() {
    apply(dynamic(House.strict("/a", 1, 60), 1));
    Endpoint child = enter("/a/b");
    Pending runs = submit(child, 1);
    Pending waiting = submit(child, 1);
    child.leave();
    house.at(5 * IDLE);
    assertThat(paths()).contains("/a/b");
    settlement(runs).permitted(house.ticker.nanos());
    house.at(6 * IDLE);
    assertThat(paths()).contains("/a/b");
    child.cancel(waiting); // it was granted meanwhile: everything is given back
    house.at(7 * IDLE);
    assertThat(paths()).containsOnly("/a");
    assertThat(house.endpoint("/a").totals().requests(Fate.CANCELLED)).isEqualTo(1);
  }

  @Test
  void limitThatIsNotFullAgain_keepsIt() {
    LimitSpec hour = new LimitSpec.FixedWindow(100, 3_600 * SECOND);
    apply(dynamic(House.tokens("/a", 100, 3_600), 1));
    assertThat(house.endpoint("/a").spec().limit()).isEqualTo(hour);
    Endpoint child = enter("/a/b");
    settlement(submit(child, 100)).served(new Usage(150, 0, 0), 0, house.ticker.nanos());
    child.leave();
    house.at(2 * 3_600 * SECOND - 1); // one window is charged in full, the next by a debt of 50
    assertThat(paths()).contains("/a/b");
    house.at(2 * 3_600 * SECOND);
    assertThat(paths()).containsOnly("/a");
    assertThat(limits.live()).hasSize(1);
  }

  @Test
  void madeAgain_startsAnewWithOneLimit() {
    apply(dynamic(House.strict("/a", 1, 60), 1));
    Endpoint before = enter("/a/b");
    before.leave();
    house.at(IDLE);
    Endpoint after = enter("/a/b");
    assertThat(after).isNotSameAs(before);
    assertThat(before.guests().enter()).isFalse();
    assertThat(limits.live()).hasSize(2);
    assertThat(limits.doubled()).isEmpty();
  }

  @Test
  void reload_hasChildrenFollowTheirAncestor() {
    apply(dynamic(House.strict("/a", 1, 60), 10));
    Endpoint child = enter("/a/b/c");
    submit(child, 1);
    Pending second = submit(child, 1);
    apply(dynamic(House.strict("/a", 1, 2), 10));
    house.at(2 * SECOND);
    assertThat(went(second)).isTrue();
    Pending third = submit(child, 1);
    // A nearer ancestor than before.
    apply(dynamic(House.strict("/a", 1, 60), 10), dynamic(House.strict("/a/b", 1, 3), 10));
    assertThat(child.spec().configuredPath()).isEqualTo("/a/b");
    house.at(5 * SECOND);
    assertThat(went(third)).isTrue();
    assertThat(house.registry.find("/a/b/c")).isSameAs(child);
  }

  @Test
  void childThatBecomesConfigured_keepsItsQueueAndSpend_andIsNotReclaimed() {
    apply(dynamic(House.strict("/a", 1, 60), 10));
    Endpoint child = enter("/a/b");
    settlement(submit(child, 1)).permitted(house.ticker.nanos());
    Pending second = submit(child, 1);
    apply(dynamic(House.strict("/a", 1, 60), 10), House.strict("/a/b", 1, 60).spec());
    assertThat(house.endpoint("/a/b")).isSameAs(child);
    assertThat(child.spec().isDynamic()).isFalse();
    assertThat(house.registry.dynamic()).isEmpty();
    assertThat(waits(second)).isTrue();
    house.at(60 * SECOND);
    settlement(second).permitted(house.ticker.nanos());
    child.leave();
    house.at(10 * IDLE);
    assertThat(house.endpoint("/a/b")).isSameAs(child);
    assertThat(child.totals().requests(Fate.SERVED)).isEqualTo(2);
    assertThat(limits.live()).hasSize(2);
  }

  @Test
  void ancestorThatIsDynamicNoMore_refusesItsChildrensTickets() {
    apply(dynamic(House.strict("/a", 1, 60), 10));
    Endpoint child = enter("/a/b");
    Pending runs = submit(child, 1);
    Pending waiting = submit(child, 1);
    apply(House.strict("/a", 1, 60).spec());
    assertThat(refusal(waiting).reason()).isEqualTo(Reason.ENDPOINT_REMOVED);
    assertThat(refusal(submit(child, 1)).reason()).isEqualTo(Reason.ENDPOINT_REMOVED);
    assertThat(enter("/a/b").path()).isEqualTo("/a");
    assertThat(limits.live()).hasSize(1);
    settlement(runs).permitted(house.ticker.nanos());
    child.leave();
    Totals totals = house.endpoint("/a").totals();
    assertThat(totals.requests(Fate.OFFERED)).isEqualTo(3);
    assertThat(totals.requests(Fate.SERVED)).isEqualTo(1);
    assertThat(totals.requests(Fate.REFUSED)).isEqualTo(2);
    assertThat(house.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void ancestorThatIsGone_takesItsChildrenWithIt() {
    apply(dynamic(House.strict("/a", 1, 60), 10), House.none("/b").spec());
    Endpoint child = enter("/a/b");
    submit(child, 1);
    Pending waiting = submit(child, 1);
    apply(House.none("/b").spec());
    assertThat(refusal(waiting).reason()).isEqualTo(Reason.ENDPOINT_REMOVED);
    assertThat(house.registry.enter("/a/b")).isNull();
    assertThat(limits.live()).isEmpty();
  }

  @Test
  void lowerBound_keepsThoseThereAreAndMakesNoMore() {
    apply(dynamic(House.none("/a"), 2));
    Endpoint one = enter("/a/1");
    enter("/a/2");
    apply(dynamic(House.none("/a"), 1));
    assertThat(enter("/a/1")).isSameAs(one);
    assertThat(enter("/a/3").path()).isEqualTo("/a");
  }

  @Test
  void limitThatOthersSpendToo_isNotAskedOfThem_whenItsEndpointIsReclaimed() {
    apply(dynamic(House.strict("/a", 1, 60), 1));
    Endpoint child = enter("/a/b");
    AtomicInteger asked = new AtomicInteger();
    child.limits().getFirst().limit().share(new Demand(asked::incrementAndGet), 0);
    child.leave();
    house.at(IDLE);
    assertThat(paths()).containsOnly("/a");
    assertThat(asked).hasValue(0);
  }
}
