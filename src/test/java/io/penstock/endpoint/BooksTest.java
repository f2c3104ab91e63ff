package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.strict;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.tokens;
import static io.penstock.endpoint.House.waits;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.event.Event;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of what is counted, published and recorded of each request. */
class BooksTest {
  private static final Refusal BAD = Refusal.of(Reason.BAD_REQUEST, "it is no JSON");
  private static final Refusal GONE = Refusal.of(Reason.UPSTREAM_UNREACHABLE, "it is gone");

  private final House house = new House();

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  private static void assertSums(
      Endpoint endpoint, Fate fate, long requests, long tokens, long bytes) {
    Totals totals = endpoint.totals();
    assertThat(List.of(totals.requests(fate), totals.tokens(fate), totals.bytes(fate)))
        .as(fate.toString())
        .containsExactly(requests, tokens, bytes);
  }

  private Past past(Pending pending) {
    List<Optional<Known>> told = new ArrayList<>();
    house.registry.tickets().find(String.valueOf(pending.order()), told::add);
    house.drivers.run();
    return (Past) told.getFirst().orElseThrow();
  }

  @Test
  void refusedAndGoneBeforeTheyWereTickets_areNumberedCountedAndTold() {
    Endpoint endpoint = house.open(none("/a"));
    house.at(SECOND);
    endpoint.gone(new Cost(3, 4, 0), 50);
    endpoint.refused(Cost.ofInput(6), 70, BAD);
    assertThat(house.recorded.all())
        .containsExactly(
            new Event.Cancelled(START + SECOND, "/a", 0),
            new Event.Refused(START + SECOND, "/a", 1, BAD));
    assertSums(endpoint, Fate.CANCELLED, 1, 7, 50);
    assertSums(endpoint, Fate.REFUSED, 1, 6, 70);
    assertSums(endpoint, Fate.OFFERED, 2, 13, 120);
  }

  @Test
  void refusedAsItComes_isToldAtThatInstant() {
    Endpoint endpoint = house.open(tokens("/a", 100, 10));
    house.at(SECOND);
    Pending pending = endpoint.submit(Ask.of(null, Cost.ofInput(101), 9, Patience.DEFAULT));
    assertThat(house.recorded.all())
        .containsExactly(new Event.Refused(START + SECOND, "/a", 0, refusal(pending)));
    assertSums(endpoint, Fate.REFUSED, 1, 101, 9);
    assertSums(endpoint, Fate.WAITING, 0, 0, 0);
  }

  @Test
  void refusedAfterItWaited_isToldAtThatInstant() {
    Endpoint endpoint = house.open(strict("/a", 1, 60));
    submit(endpoint, 1);
    Pending waiting = submit(endpoint, 5);
    house.at(2 * SECOND);
    waiting.refuse(BAD);
    house.drivers.run();
    assertThat(house.recorded.of(Event.Refused.class))
        .containsExactly(new Event.Refused(START + 2 * SECOND, "/a", 1, BAD));
    assertSums(endpoint, Fate.REFUSED, 1, 5, 0);
  }

  @Test
  void expired_isToldAtThatInstant() {
    Endpoint endpoint = house.open(strict("/a", 1, 60).maxWait(7 * SECOND));
    submit(endpoint, 1);
    Pending waiting = submit(endpoint, 5);
    house.at(7 * SECOND);
    assertThat(house.recorded.of(Event.Expired.class))
        .containsExactly(new Event.Expired(START + 7 * SECOND, "/a", 1, refusal(waiting)));
    assertSums(endpoint, Fate.EXPIRED, 1, 5, 0);
  }

  @Test
  void failedAfterItWaitedForLong_isRememberedWithWhy() {
    Endpoint endpoint = house.open(strict("/a", 1, 10));
    submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    house.at(10 * SECOND);
    assertThat(past(second).fate()).isEqualTo(Fate.RUNNING);
    house.at(12 * SECOND);
    settlement(second).failed(GONE, 0, house.ticker.nanos());
    assertThat(past(second).fate()).isEqualTo(Fate.REFUSED);
    assertThat(past(second).refusal()).isEqualTo(GONE);
    assertThat(past(second).waitedNanos()).isEqualTo(10 * SECOND);
  }

  /** Returns a caller charged at the arrival of a shadow, which still waits. */
  private Callers.Caller chargedForAShadowThatWaits(Endpoint endpoint) {
    Callers.Caller alice =
        new Callers().rejecting("alice").limit(Measure.TOKENS, 100, Reason.KEY_TPM);
    submit(endpoint, 1);
    settlement(alice.submit(endpoint, 30)).served(null, 0, house.ticker.nanos());
    assertThat(alice.charged(Measure.TOKENS, house)).isEqualTo(30);
    assertThat(alice.empty()).as("its shadow is inside").isFalse();
    return alice;
  }

  @Test
  void shadowThatExpires_hasTakenNothing_andIsInsideNoMore() {
    Endpoint endpoint = house.openShadow(strict("/a", 1, 60).maxWait(7 * SECOND));
    Callers.Caller alice = chargedForAShadowThatWaits(endpoint);
    house.at(7 * SECOND);
    assertThat(alice.charged(Measure.TOKENS, house)).isZero();
    assertThat(alice.empty()).isTrue();
  }

  @Test
  void shadowThatIsRefused_hasTakenNothing_andIsInsideNoMore() {
    Endpoint endpoint = house.openShadow(strict("/a", 1, 60));
    Callers.Caller alice = chargedForAShadowThatWaits(endpoint);
    endpoint.refuseAll(BAD);
    house.drivers.run();
    assertThat(alice.charged(Measure.TOKENS, house)).isZero();
    assertThat(alice.empty()).isTrue();
  }

  @Test
  void shadowWhoseClientLeaves_hasTakenNothing_andItsPlaceIsFree() {
    Endpoint endpoint = house.openShadow(strict("/a", 1, 60).bounds(1, 100, 100));
    Callers.Caller alice =
        new Callers().rejecting("alice").limit(Measure.TOKENS, 100, Reason.KEY_TPM);
    submit(endpoint, 1);
    settlement(alice.submit(endpoint, 30)).cancelled(null, 0, START);
    house.drivers.run();
    assertThat(alice.charged(Measure.TOKENS, house)).isZero();
    assertThat(alice.empty()).isTrue();
    submit(endpoint, 1);
    house.at(60 * SECOND);
    assertThat(house.recorded.of(Event.Shadowed.class))
        .containsExactly(
            new Event.Shadowed(START, "/a", 0, 0, null),
            new Event.Shadowed(START + 60 * SECOND, "/a", 2, 60 * SECOND, null));
  }

  @Test
  void shadowsThatWait_areNoRequestsThatWait() {
    Endpoint endpoint = house.openShadow(strict("/a", 1, 60));
    submit(endpoint, 1);
    submit(endpoint, 1);
    house.at(5 * SECOND);
    assertThat(endpoint.oldestWaitNanos()).isZero();
    house.apply(strict("/a", 1, 60));
    assertThat(waits(submit(endpoint, 1))).isTrue();
    house.at(7 * SECOND);
    assertThat(endpoint.oldestWaitNanos()).as("a shadow is the oldest").isEqualTo(7 * SECOND);
  }
}
