package io.penstock.endpoint;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketFate;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.ShareDemand;
import io.penstock.queue.QueueBounds;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
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
  private static final long IDLE = EndpointRegistry.IDLE_NANOS;

  private final LiveLimits limits = new LiveLimits();
  private final EndpointFixture endpointFixture = new EndpointFixture(limits);

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  static EndpointSpec dynamic(EndpointSetup setup, int most) {
    String path = setup.spec().path();
    return setup.descendants(true, most).shown(Map.of("path", path, "rate", 5)).spec();
  }

  private void apply(EndpointSpec... specs) {
    endpointFixture.registry.apply(List.of(specs));
    endpointFixture.drivers.run();
  }

  private Endpoint enter(String path) {
    return Objects.requireNonNull(endpointFixture.registry.enter(path));
  }

  private Set<String> paths() {
    return endpointFixture.registry.all().stream().map(Endpoint::path).collect(Collectors.toSet());
  }

  @Test
  void unknownPath_becomesAnEndpointOfItsOwnWithTheAncestorsSettings() {
    EndpointSpec parent = dynamic(EndpointFixture.strict("/a", 1, 60).bounds(3, 30, 300), 10);
    apply(parent, EndpointFixture.none("/").spec());
    Endpoint child = enter("/a/b/c");
    assertThat(child.path()).isEqualTo("/a/b/c");
    EndpointSpec spec = child.spec();
    assertThat(spec.isDynamic()).isTrue();
    assertThat(spec.entry().path()).isEqualTo("/a");
    assertThat(spec.entry().shown())
        .isEqualTo(Map.of("path", "/a/b/c", "rate", 5, "dynamic", true));
    assertThat(spec.waiting().bounds()).isEqualTo(new QueueBounds(3, 30, 300));
    assertThat(spec.limit()).isEqualTo(parent.limit());
    assertThat(enter("/a/b/c")).isSameAs(child);
    assertThat(endpointFixture.registry.find("/a/b/c")).isSameAs(child);
    // The child is not configured itself, so a path below it belongs to the same ancestor.
    assertThat(enter("/a/b/c/d").spec().entry().path()).isEqualTo("/a");
    assertThat(enter("/x").path()).isEqualTo("/");
    assertThat(enter("/a").path()).isEqualTo("/a");
  }

  @Test
  void eachHasItsOwnQueueAndLimit_andSharesTheUpstream() {
    apply(dynamic(EndpointFixture.strict("/a", 1, 60).to(upstream("u", 3, 0)), 10));
    Endpoint one = enter("/a/1");
    Endpoint two = enter("/a/2");
    assertThat(went(submit(one, 1))).isTrue();
    assertThat(waits(submit(one, 1))).isTrue();
    assertThat(went(submit(two, 1))).isTrue();
    assertThat(went(submit(enter("/a"), 1))).isTrue();
    assertThat(waits(submit(enter("/a/3"), 1))).isTrue();
    assertThat(one.totals().requests(TicketFate.WAITING)).isEqualTo(1);
    assertThat(two.totals().requests(TicketFate.WAITING)).isZero();
  }

  @Test
  void parametersThatItDidNotRead_areThoseOfTheAncestorOnceItIsReclaimed() {
    apply(dynamic(EndpointFixture.none("/a"), 10));
    Endpoint child = enter("/a/b");
    child.ignored(Set.of(ShortParameter.PRIORITY_HEADER, ShortParameter.TIMEOUT_IN_QUERY));
    child.ignored(Set.of(ShortParameter.PRIORITY_HEADER));
    Endpoint parent = enter("/a");
    parent.ignored(Set.of(ShortParameter.PRIORITY_HEADER));
    assertThat(child.ignoredParameters().counts())
        .containsExactly(Map.entry("?timeout", 1L), Map.entry("X-Priority", 2L));
    assertThat(parent.ignoredParameters().counts()).containsExactly(Map.entry("X-Priority", 1L));
    child.leave();
    endpointFixture.at(IDLE);
    assertThat(paths()).containsExactly("/a");
    assertThat(parent.ignoredParameters().counts())
        .containsExactly(Map.entry("?timeout", 1L), Map.entry("X-Priority", 3L));
    assertThat(parent.ignoredParameters().claimReport()).isTrue();
    assertThat(parent.ignoredParameters().claimReport()).isFalse();
  }

  @Test
  void atTheBound_theAncestorServes() {
    apply(dynamic(EndpointFixture.none("/a"), 2), dynamic(EndpointFixture.none("/b"), 3));
    enter("/a/1");
    enter("/a/2");
    assertThat(enter("/a/3").path()).isEqualTo("/a");
    assertThat(enter("/a/1").path()).isEqualTo("/a/1");
    assertThat(enter("/b/1").path()).isEqualTo("/b/1"); // the bound is on all dynamic endpoints
    assertThat(enter("/b/2").path()).isEqualTo("/b");
  }

  @Test
  void noMatch_isNone() {
    apply(dynamic(EndpointFixture.none("/a"), 2));
    assertThat(endpointFixture.registry.enter("/b")).isNull();
    assertThat(endpointFixture.registry.enter("a/b")).isNull();
    assertThat(endpointFixture.registry.enter("")).isNull();
  }

  @ParameterizedTest
  @CsvSource({"//a///b//, /a/b", "/a/%62/%c3%a9, /a/b/%C3%A9", "/%61/, /a", "/a/.b, /a/.b"})
  void pathOfARequest_isNormalisedFirst(String written, String path) {
    apply(dynamic(EndpointFixture.none("/a"), 2));
    assertThat(enter(written).path()).isEqualTo(path);
    assertThat(enter(path)).isSameAs(enter(written));
    assertThat(endpointFixture.registry.find(written)).isSameAs(enter(path));
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
    apply(dynamic(EndpointFixture.none("/a"), 2));
    assertThat(enter(path).path()).isEqualTo("/a");
  }

  @Test
  void longPath_isTheAncestors() {
    apply(dynamic(EndpointFixture.none("/a"), 2));
    String longest = "/a/" + "b".repeat(EndpointRegistry.LONGEST_DYNAMIC - 3);
    assertThat(enter(longest).path()).isEqualTo(longest);
    assertThat(enter(longest + "b").path()).isEqualTo("/a");
    assertThat(enter("/a" + "/b".repeat(4_096)).path()).isEqualTo("/a");
    assertThat(enter("/%61" + "/".repeat(8_192)).path()).isEqualTo("/a");
  }

  @Test
  void manyPaths_costNoMoreThanTheBound() {
    apply(dynamic(EndpointFixture.strict("/a", 1, 60), 100));
    for (int each = 0; each < 100_000; each++) {
      Endpoint endpoint = enter("/a/" + each);
      assertThat(endpoint.path()).isEqualTo(each < 100 ? "/a/" + each : "/a");
      endpoint.leave();
    }
    assertThat(endpointFixture.registry.dynamic()).hasSize(100);
    assertThat(limits.live()).hasSize(101);
    endpointFixture.at(IDLE);
    assertThat(endpointFixture.registry.dynamic()).isEmpty();
    assertThat(limits.live()).hasSize(1);
    assertThat(limits.doubled()).isEmpty();
  }

  @Test
  void manyPathsOneAfterTheOther_leaveNothingBehind() {
    apply(dynamic(EndpointFixture.strict("/a", 1, 60), 10));
    for (int each = 0; each < 1_000; each++) {
      for (int child = 0; child < 10; child++) {
        Endpoint endpoint = enter("/a/" + each + "/" + child);
        assertThat(endpoint.spec().isDynamic()).isTrue();
        settlement(submit(endpoint, 1)).permitted(endpointFixture.ticker.nanos());
        endpoint.leave();
      }
      endpointFixture.at((each + 1) * IDLE);
    }
    assertThat(paths()).containsOnly("/a");
    assertThat(limits.live()).hasSize(1);
    assertThat(endpointFixture.endpoint("/a").totals().requests(TicketFate.SERVED))
        .isEqualTo(10_000);
  }

  @Test
  void idleForTenMinutes_isReclaimedAndItsAncestorTellsItsTotals() {
    apply(dynamic(EndpointFixture.none("/a"), 1));
    Endpoint child = enter("/a/b");
    endpointFixture.at(3 * SECOND);
    settlement(submit(child, 7)).permitted(endpointFixture.ticker.nanos());
    child.refused(Cost.ofInput(5), 2, Refusal.of(RefusalReason.BAD_REQUEST, "no"));
    child.leave();
    endpointFixture.at(3 * SECOND + IDLE - 1);
    assertThat(paths()).containsOnly("/a", "/a/b");
    endpointFixture.at(3 * SECOND + IDLE);
    assertThat(paths()).containsOnly("/a");
    EndpointTotals endpointTotals = endpointFixture.endpoint("/a").totals();
    assertThat(endpointTotals.requests(TicketFate.OFFERED)).isEqualTo(2);
    assertThat(endpointTotals.tokens(TicketFate.SERVED)).isEqualTo(7);
    assertThat(endpointTotals.bytes(TicketFate.REFUSED)).isEqualTo(2);
    assertThat(enter("/a/c").path()).isEqualTo("/a/c"); // there is room again
    assertThat(endpointFixture.registry.find("/a/b")).isSameAs(endpointFixture.endpoint("/a"));
  }

  @Test
  void lastUse_isWhatCounts() {
    apply(dynamic(EndpointFixture.none("/a"), 1));
    enter("/a/b").leave();
    endpointFixture.at(IDLE / 2);
    enter("/a/b").leave();
    endpointFixture.at(IDLE / 2 + IDLE - 1);
    assertThat(paths()).contains("/a/b");
    endpointFixture.at(IDLE / 2 + IDLE);
    assertThat(paths()).containsOnly("/a");
  }

  @Test
  void somebodyInside_keepsItHoweverLong_andNothingTicks() {
    apply(dynamic(EndpointFixture.none("/a"), 1));
    Endpoint child = enter("/a/b");
    enter("/a/b").leave();
    endpointFixture.at(10 * IDLE);
    assertThat(endpointFixture.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
    assertThat(endpointFixture.registry.find("/a/b")).isSameAs(child);
    child.leave();
    endpointFixture.at(11 * IDLE - 1);
    assertThat(paths()).contains("/a/b");
    endpointFixture.at(11 * IDLE);
    assertThat(paths()).containsOnly("/a");
  }

  @Test
  void enteredAndLeftWhileTheAlarmWasOff_isWatchedAgain() {
    apply(dynamic(EndpointFixture.none("/a"), 1));
    Endpoint child = enter("/a/b");
    child.leave();
    enter("/a/b");
    endpointFixture.at(IDLE); // a request is in flight: the watch ends
    child.leave();
    endpointFixture.at(2 * IDLE);
    assertThat(paths()).containsOnly("/a");
  }

  @Test
  void ticketThatIsNotSettled_isInsideThoughItsRequestHasLeft() {
    apply(dynamic(EndpointFixture.strict("/a", 1, 60), 1));
    Endpoint child = enter("/a/b");
    ParkedTicket runs = submit(child, 1);
    ParkedTicket waiting = submit(child, 1);
    child.leave();
    endpointFixture.at(5 * IDLE);
    assertThat(paths()).contains("/a/b");
    settlement(runs).permitted(endpointFixture.ticker.nanos());
    endpointFixture.at(6 * IDLE);
    assertThat(paths()).contains("/a/b");
    waiting.cancel(); // it was granted meanwhile: everything is given back
    endpointFixture.at(7 * IDLE);
    assertThat(paths()).containsOnly("/a");
    assertThat(endpointFixture.endpoint("/a").totals().requests(TicketFate.CANCELLED)).isEqualTo(1);
  }

  @Test
  void limitThatIsNotFullAgain_keepsIt() {
    LimitSpec hour = new LimitSpec.FixedWindow(100, 3_600 * SECOND);
    apply(dynamic(EndpointFixture.tokens("/a", 100, 3_600), 1));
    assertThat(endpointFixture.endpoint("/a").spec().limit()).isEqualTo(hour);
    Endpoint child = enter("/a/b");
    settlement(submit(child, 100))
        .served(new TokenUsage(150, 0, 0), 0, endpointFixture.ticker.nanos());
    child.leave();
    endpointFixture.at(
        2 * 3_600 * SECOND - 1); // one window is charged in full, the next by a debt of 50
    assertThat(paths()).contains("/a/b");
    endpointFixture.at(2 * 3_600 * SECOND);
    assertThat(paths()).containsOnly("/a");
    assertThat(limits.live()).hasSize(1);
  }

  @Test
  void madeAgain_startsAnewWithOneLimit() {
    apply(dynamic(EndpointFixture.strict("/a", 1, 60), 1));
    Endpoint before = enter("/a/b");
    before.leave();
    endpointFixture.at(IDLE);
    Endpoint after = enter("/a/b");
    assertThat(after).isNotSameAs(before);
    assertThat(before.inFlight().enter()).isFalse();
    assertThat(limits.live()).hasSize(2);
    assertThat(limits.doubled()).isEmpty();
  }

  @Test
  void reload_hasChildrenFollowTheirAncestor() {
    apply(dynamic(EndpointFixture.strict("/a", 1, 60), 10));
    Endpoint child = enter("/a/b/c");
    submit(child, 1);
    ParkedTicket second = submit(child, 1);
    apply(dynamic(EndpointFixture.strict("/a", 1, 2), 10));
    endpointFixture.at(2 * SECOND);
    assertThat(went(second)).isTrue();
    ParkedTicket third = submit(child, 1);
    // A nearer ancestor than before.
    apply(
        dynamic(EndpointFixture.strict("/a", 1, 60), 10),
        dynamic(EndpointFixture.strict("/a/b", 1, 3), 10));
    assertThat(child.spec().entry().path()).isEqualTo("/a/b");
    endpointFixture.at(5 * SECOND);
    assertThat(went(third)).isTrue();
    assertThat(endpointFixture.registry.find("/a/b/c")).isSameAs(child);
  }

  @Test
  void childThatBecomesConfigured_keepsItsQueueAndSpend_andIsNotReclaimed() {
    apply(dynamic(EndpointFixture.strict("/a", 1, 60), 10));
    Endpoint child = enter("/a/b");
    settlement(submit(child, 1)).permitted(endpointFixture.ticker.nanos());
    ParkedTicket second = submit(child, 1);
    apply(
        dynamic(EndpointFixture.strict("/a", 1, 60), 10),
        EndpointFixture.strict("/a/b", 1, 60).spec());
    assertThat(endpointFixture.endpoint("/a/b")).isSameAs(child);
    assertThat(child.spec().isDynamic()).isFalse();
    assertThat(endpointFixture.registry.dynamic()).isEmpty();
    assertThat(waits(second)).isTrue();
    endpointFixture.at(60 * SECOND);
    settlement(second).permitted(endpointFixture.ticker.nanos());
    child.leave();
    endpointFixture.at(10 * IDLE);
    assertThat(endpointFixture.endpoint("/a/b")).isSameAs(child);
    assertThat(child.totals().requests(TicketFate.SERVED)).isEqualTo(2);
    assertThat(limits.live()).hasSize(2);
  }

  @Test
  void ancestorThatIsDynamicNoMore_refusesItsChildrensTickets() {
    apply(dynamic(EndpointFixture.strict("/a", 1, 60), 10));
    Endpoint child = enter("/a/b");
    ParkedTicket runs = submit(child, 1);
    ParkedTicket waiting = submit(child, 1);
    apply(EndpointFixture.strict("/a", 1, 60).spec());
    assertThat(refusal(waiting).reason()).isEqualTo(RefusalReason.ENDPOINT_REMOVED);
    assertThat(refusal(submit(child, 1)).reason()).isEqualTo(RefusalReason.ENDPOINT_REMOVED);
    assertThat(enter("/a/b").path()).isEqualTo("/a");
    assertThat(limits.live()).hasSize(1);
    settlement(runs).permitted(endpointFixture.ticker.nanos());
    child.leave();
    EndpointTotals endpointTotals = endpointFixture.endpoint("/a").totals();
    assertThat(endpointTotals.requests(TicketFate.OFFERED)).isEqualTo(3);
    assertThat(endpointTotals.requests(TicketFate.SERVED)).isEqualTo(1);
    assertThat(endpointTotals.requests(TicketFate.REFUSED)).isEqualTo(2);
    assertThat(endpointFixture.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void ancestorThatIsGone_takesItsChildrenWithIt() {
    apply(dynamic(EndpointFixture.strict("/a", 1, 60), 10), EndpointFixture.none("/b").spec());
    Endpoint child = enter("/a/b");
    submit(child, 1);
    ParkedTicket waiting = submit(child, 1);
    apply(EndpointFixture.none("/b").spec());
    assertThat(refusal(waiting).reason()).isEqualTo(RefusalReason.ENDPOINT_REMOVED);
    assertThat(endpointFixture.registry.enter("/a/b")).isNull();
    assertThat(limits.live()).isEmpty();
  }

  @Test
  void lowerBound_keepsThoseThereAreAndMakesNoMore() {
    apply(dynamic(EndpointFixture.none("/a"), 2));
    Endpoint one = enter("/a/1");
    enter("/a/2");
    apply(dynamic(EndpointFixture.none("/a"), 1));
    assertThat(enter("/a/1")).isSameAs(one);
    assertThat(enter("/a/3").path()).isEqualTo("/a");
  }

  @Test
  void limitThatOthersSpendToo_isNotAskedOfThem_whenItsEndpointIsReclaimed() {
    apply(dynamic(EndpointFixture.strict("/a", 1, 60), 1));
    Endpoint child = enter("/a/b");
    AtomicInteger asked = new AtomicInteger();
    child
        .limits()
        .getFirst()
        .limit()
        .sharing()
        .holdShares(at -> true, new ShareDemand(asked::incrementAndGet), 0);
    child.leave();
    endpointFixture.at(IDLE);
    assertThat(paths()).containsOnly("/a");
    assertThat(asked).hasValue(0);
  }
}
