package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.assertBalanced;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.pool.AttemptFailure;
import io.penstock.queue.QueueBounds;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.suite.Hostile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CacheWarmupTest {
  private static final long HOLD = 5 * SECOND;

  private final EndpointFixture fixture = new EndpointFixture();

  /** How the request that was sent first ends without having warmed a cache. */
  enum End {
    FAILED,
    CANCELLED,
    NEVER_SENT,
    REFUSED,
    RETRIED;

    private void end(TicketSettlement settlement, long now) {
      switch (this) {
        case FAILED ->
            settlement.failed(Refusal.of(RefusalReason.UPSTREAM_UNREACHABLE, "x"), 0, now);
        case CANCELLED -> settlement.cancelled(CallEnd.answered(null, 0), now);
        case NEVER_SENT -> settlement.abandoned(now);
        case REFUSED -> settlement.refused(Refusal.of(RefusalReason.BAD_REQUEST, "x"), now);
        case RETRIED -> settlement.retry(AttemptFailure.BROKEN, false, now);
      }
    }
  }

  private ParkedTicket ask(Endpoint endpoint, @Nullable String scope, long fingerprint) {
    return ask(endpoint, new TicketRequest.SharedPrefix(scope, fingerprint, HOLD));
  }

  private ParkedTicket ask(Endpoint endpoint, TicketRequest.@Nullable SharedPrefix prefix) {
    return ask(endpoint, prefix, new Cost(10, 5, 0));
  }

  private ParkedTicket ask(
      Endpoint endpoint, TicketRequest.@Nullable SharedPrefix prefix, Cost cost) {
    ParkedTicket ticket = endpoint.submit(RequestFixture.of("m", cost).sharedPrefix(prefix).made());
    fixture.drivers.run();
    return ticket;
  }

  private List<ParkedTicket> ask(Endpoint endpoint, int count) {
    List<ParkedTicket> tickets = new ArrayList<>();
    for (int each = 0; each < count; each++) {
      tickets.add(ask(endpoint, "k", 1));
    }
    return tickets;
  }

  private long now() {
    return fixture.ticker.nanos();
  }

  private void end(ParkedTicket ticket) {
    settlement(ticket).served(new TokenUsage(10, 0, 5), 5, now());
    fixture.drivers.run();
  }

  @Test
  void equalPrompts_oneGoesAndTheOthersWhenItsAnswerBegins() {
    Endpoint endpoint = fixture.open(none("/").to(upstream("up", 0, 0)));
    List<ParkedTicket> tickets = ask(endpoint, 50);
    assertThat(tickets.stream().filter(each -> went(each))).containsExactly(tickets.getFirst());
    settlement(tickets.getFirst()).answerBegan();
    fixture.drivers.run();
    assertThat(tickets).allMatch(each -> went(each));
    assertThat(went(ask(endpoint, "k", 1))).isTrue();
    tickets.forEach(this::end);
    assertBalanced(endpoint);
  }

  @ParameterizedTest
  @EnumSource
  void firstThatWarmsNothing_releasesTheOthersAtOnce(End end) {
    Endpoint endpoint = fixture.open(none("/").to(upstream("up", 0, 0)));
    List<ParkedTicket> tickets = ask(endpoint, 4);
    assertThat(tickets.subList(1, 4)).allMatch(each -> waits(each));
    end.end(settlement(tickets.getFirst()), now());
    fixture.drivers.run();
    assertThat(tickets).allMatch(each -> went(each));
  }

  @Test
  void firstThatSaysNothing_holdsTheOthersUpToTheBound() {
    Endpoint endpoint = fixture.open(none("/").to(upstream("up", 0, 0)));
    fixture.at(10 * SECOND);
    List<ParkedTicket> tickets = ask(endpoint, 4);
    fixture.at(15 * SECOND - 1);
    assertThat(tickets.subList(1, 4)).allMatch(each -> waits(each));
    fixture.at(15 * SECOND);
    assertThat(tickets).allMatch(each -> went(each));
  }

  @Test
  void otherPrefixKeyOrNone_isNotHeld() {
    Endpoint endpoint = fixture.open(none("/").to(upstream("up", 0, 0)));
    ask(endpoint, 2);
    assertThat(went(ask(endpoint, "k", 2))).isTrue();
    assertThat(went(ask(endpoint, "other", 1))).isTrue();
    assertThat(went(ask(endpoint, null, 1))).isTrue();
    assertThat(went(submit(endpoint, 1))).isTrue();
  }

  @Test
  void requestsThatWaitForALimit_goOneFirstAndThenInTheirOrder() {
    Endpoint endpoint = fixture.open(none("/").to(upstream("up", 1, 0)));
    ParkedTicket before = ask(endpoint, null);
    List<ParkedTicket> tickets = ask(endpoint, 3);
    ParkedTicket other = ask(endpoint, null);
    assertThat(went(before)).isTrue();
    fixture.at(61 * SECOND);
    assertThat(went(tickets.getFirst())).isTrue();
    assertThat(waits(tickets.get(1)) && waits(other)).isTrue();
    settlement(tickets.getFirst()).answerBegan();
    fixture.at(122 * SECOND);
    assertThat(went(tickets.get(1))).isTrue();
    assertThat(waits(other)).isTrue();
  }

  @Test
  void firstThatLeavesTheQueue_leavesItsPlaceToTheNext() {
    Endpoint endpoint = fixture.open(none("/").to(upstream("up", 1, 0)));
    ask(endpoint, null);
    List<ParkedTicket> tickets = ask(endpoint, 3);
    tickets.getFirst().cancel();
    fixture.drivers.run();
    fixture.at(61 * SECOND);
    assertThat(went(tickets.get(1))).isTrue();
    assertThat(waits(tickets.get(2))).isTrue();
  }

  @Test
  void heldRequests_doNotHoldUpOthers() {
    Endpoint endpoint = fixture.open(none("/").maxSkips(0).to(upstream("up", 0, 0)));
    List<ParkedTicket> tickets = ask(endpoint, 3);
    for (int each = 0; each < 20; each++) {
      assertThat(went(submit(endpoint, 1))).isTrue();
    }
    assertThat(waits(tickets.get(1))).isTrue();
    tickets.get(2).cancel();
    settlement(tickets.getFirst()).answerBegan();
    fixture.drivers.run();
    assertThat(went(tickets.get(1))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 3})
  void passedWhileHeld_isPassedLessOftenAfterwards(int passes) {
    Endpoint endpoint = fixture.open(none("/").maxSkips(3).to(upstream("up", 0, 100)));
    TicketRequest.SharedPrefix prefix = new TicketRequest.SharedPrefix("k", 1, HOLD);
    ParkedTicket first = ask(endpoint, prefix, Cost.ofInput(20));
    ParkedTicket held = ask(endpoint, prefix, Cost.ofInput(90));
    List<ParkedTicket> later = new ArrayList<>();
    for (int each = 0; each < passes; each++) {
      later.add(ask(endpoint, null, Cost.ofInput(1)));
    }
    settlement(first).answerBegan();
    fixture.drivers.run();
    assertThat(waits(held)).isTrue();
    for (int each = passes; each < 3; each++) {
      later.add(ask(endpoint, null, Cost.ofInput(1)));
    }
    assertThat(later).allMatch(each -> went(each));
    assertThat(waits(ask(endpoint, null, Cost.ofInput(1)))).as("one more").isTrue();
    end(first);
    fixture.at(122 * SECOND);
    assertThat(went(held)).isTrue();
  }

  /** How a request leaves before it was sent. */
  enum Leaving {
    TOO_LARGE,
    TOO_LONG,
    QUEUE_FULL,
    EXPIRED,
    CANCELLED,
    REMOVED;

    private Cost cost() {
      return Cost.ofInput(this == TOO_LARGE ? 200 : 90);
    }

    private WaitPatience patience() {
      return switch (this) {
        case TOO_LONG -> new WaitPatience(1, Long.MAX_VALUE);
        case EXPIRED -> new WaitPatience(0, 1);
        case TOO_LARGE, QUEUE_FULL, CANCELLED, REMOVED -> WaitPatience.DEFAULT;
      };
    }

    private void leave(ParkedTicket ticket) {
      if (this == CANCELLED) {
        ticket.cancel();
      } else if (this == REMOVED) {
        ticket.refuse(Refusal.of(RefusalReason.REMOVED_BY_OPERATOR, "x"));
      }
    }
  }

  private static RequestFixture from(String key, long fingerprint, Cost cost) {
    return RequestFixture.of("m", cost)
        .origin(new TicketRequest.Origin(null, key, null))
        .sharedPrefix(new TicketRequest.SharedPrefix(key, fingerprint, HOLD));
  }

  private ParkedTicket send(Endpoint endpoint, RequestFixture request) {
    ParkedTicket ticket = endpoint.submit(request.made());
    fixture.drivers.run();
    return ticket;
  }

  /** Returns the second of two requests of a key with the same new beginning: it is held. */
  private ParkedTicket held(Endpoint endpoint, String key, long fingerprint) {
    send(endpoint, from(key, fingerprint, Cost.ofInput(1)));
    ParkedTicket second = send(endpoint, from(key, fingerprint, Cost.ofInput(1)));
    assertThat(waits(second)).as("%s %d", key, fingerprint).isTrue();
    return second;
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @EnumSource
  void groupOfWhichAllLeave_ends(Leaving leaving) {
    long places = leaving == Leaving.QUEUE_FULL ? 1 : 1_000;
    Endpoint endpoint =
        fixture.open(
            none("/")
                .bounds(places, QueueBounds.UNLIMITED, QueueBounds.UNLIMITED)
                .to(upstream("up", 0, 100)));
    send(endpoint, from("k", 0, Cost.ofInput(20)));
    ParkedTicket held = send(endpoint, from("k", 0, Cost.ofInput(20)));
    for (int each = 1; each <= CacheWarmups.MOST; each++) {
      ParkedTicket gone =
          send(endpoint, from("k", each, leaving.cost()).patience(leaving.patience()));
      leaving.leave(gone);
      fixture.at(each);
      assertThat(waits(gone) && leaving != Leaving.CANCELLED).isFalse();
    }
    assertThat(waits(held)).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void groupThatEndsWithAnAnswer_takesNoPlace(End end) {
    Endpoint endpoint = fixture.open(none("/").to(upstream("up", 0, 0)));
    ParkedTicket held = held(endpoint, "k", 0);
    for (int each = 1; each <= CacheWarmups.MOST; each++) {
      end.end(settlement(send(endpoint, from("k", each, Cost.ofInput(1)))), now());
      fixture.drivers.run();
    }
    assertThat(waits(held)).isTrue();
  }

  @Test
  void groupServedByAFallback_endsWithItsAnswer() {
    Endpoint endpoint =
        fixture.open(
            none("/")
                .to(upstream("up", 0, 100))
                .fallbacks(Map.of("m", new EndpointSpec.Fallback(List.of("small"), 1))));
    ParkedTicket held = held(endpoint, "k", 0);
    send(endpoint, from("other", 0, Cost.ofInput(90)));
    for (int each = 1; each <= CacheWarmups.MOST; each++) {
      ParkedTicket late = send(endpoint, from("k", each, Cost.ofInput(90)));
      fixture.at(2L * each);
      assertThat(settlement(late).model()).isEqualTo("small");
      settlement(late).abandoned(now());
      fixture.drivers.run();
    }
    assertThat(waits(held)).isTrue();
  }

  @Test
  void oneOfSeveralThatLeaves_doesNotEndTheirGroup() {
    Endpoint endpoint = fixture.open(none("/").to(upstream("up", 1, 0)));
    ask(endpoint, null);
    List<ParkedTicket> tickets = ask(endpoint, 4);
    tickets.get(1).cancel();
    tickets.get(2).refuse(Refusal.of(RefusalReason.REMOVED_BY_OPERATOR, "x"));
    fixture.drivers.run();
    fixture.at(61 * SECOND);
    assertThat(went(tickets.getFirst())).isTrue();
    ParkedTicket later = ask(endpoint, "k", 1);
    fixture.at(62 * SECOND);
    assertThat(later.laneKey()).isEqualTo(tickets.get(3).laneKey());
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void tenantWithItsShareOfGroups_endsItsOwnOldest() {
    Endpoint endpoint = fixture.open(none("/").to(upstream("up", 0, 0)));
    ParkedTicket other = held(endpoint, "other", 0);
    ParkedTicket oldest = held(endpoint, "k", 0);
    ParkedTicket next = held(endpoint, "k", 1);
    for (int each = 2; each < CacheWarmups.SHARE; each++) {
      held(endpoint, "k", each);
    }
    assertThat(waits(oldest)).isTrue();
    held(endpoint, "k", CacheWarmups.SHARE);
    assertThat(went(oldest)).isTrue();
    assertThat(waits(next) && waits(other)).isTrue();
    for (int each = 1; each < 2 * CacheWarmups.MOST; each++) {
      held(endpoint, "k", CacheWarmups.SHARE + each);
    }
    assertThat(went(next)).isTrue();
    assertThat(waits(other)).isTrue();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void moreGroupsThanMayBe_endTheOldest_andNewBeginningsAreStillWarmed() {
    Endpoint endpoint = fixture.open(none("/").to(upstream("up", 0, 0)));
    ParkedTicket oldest = held(endpoint, "first", 0);
    for (int each = 1; each < CacheWarmups.MOST; each++) {
      held(endpoint, "k" + each % 8, each);
    }
    assertThat(waits(oldest)).isTrue();
    ParkedTicket last = held(endpoint, "last", 0);
    assertThat(went(oldest)).isTrue();
    assertThat(waits(last)).isTrue();
  }
}
