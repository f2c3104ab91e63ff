package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.upstream;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Usage;
import io.penstock.event.Event;
import io.penstock.pool.Failure;
import io.penstock.pool.Upstream;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the events of a granted ticket, and of what its settlement reports. */
class SettlementEventsTest {
  private static final Refusal GONE = Refusal.of(Reason.UPSTREAM_UNREACHABLE, "it is gone");
  private static final Cost COST = new Cost(100, 50, 0);
  private static final long LATER = START + SECOND;

  private final House house = new House();

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  private Endpoint open() {
    return house.open(House.none("/a").to(upstream("u", 0, 1_000)));
  }

  private static Pending ask(Endpoint endpoint) {
    return endpoint.submit(Ask.of("m", COST, 10, Patience.DEFAULT));
  }

  /** Returns the settlement of a first ticket, granted at the start, and advances the clock. */
  private Settlement released() {
    Settlement settlement = settlement(ask(open()));
    house.at(SECOND);
    return settlement;
  }

  /** Returns all events since the first ticket was granted. */
  private List<Event> told() {
    List<Event> all = house.recorded.all();
    int released = all.indexOf(released(START));
    return all.subList(released + 1, all.size());
  }

  private static Event.Released released(long at) {
    return new Event.Released(at, "/a", 0, "u", "m", COST, at - START);
  }

  private static Event.Returned returned() {
    return new Event.Returned(LATER, "/a", 0, "u", "m", 150);
  }

  private static Event.Settled settled(long used, long overrun) {
    return new Event.Settled(LATER, "/a", 0, "u", "m", 150, used, overrun);
  }

  private static Event.Cancelled cancelled() {
    return new Event.Cancelled(LATER, "/a", 0);
  }

  @Test
  void served_whatTheAnswerSaysIsTold() {
    released().served(new Usage(60, 7, 20), 99, LATER);
    assertThat(told()).containsExactly(settled(80, 0), new Event.Served(LATER, "/a", 0));
  }

  @Test
  void servedByAnAnswerThatSaysNothing_expectedInputAndCountedOutputAreTold() {
    released().served(null, 60, LATER);
    assertThat(told()).containsExactly(settled(160, 10), new Event.Served(LATER, "/a", 0));
  }

  @Test
  void cancelledWhileTheAnswerRan_whatWasCountedIsTold_thenThatItsClientIsGone() {
    released().cancelled(null, 30, LATER);
    assertThat(told()).containsExactly(settled(130, 0), cancelled());
  }

  @Test
  void failed_inputIsToldAsUsed_thenTheRefusal() {
    released().failed(GONE, 0, LATER);
    assertThat(told()).containsExactly(settled(100, 0), new Event.Refused(LATER, "/a", 0, GONE));
  }

  @Test
  void abandoned_allIsToldToBeReturned_thenThatItsClientIsGone() {
    Settlement settlement = released();
    settlement.abandoned(LATER);
    settlement.abandoned(LATER);
    assertThat(told()).containsExactly(returned(), cancelled());
  }

  @Test
  void refusedBeforeItWasSent_allIsToldToBeReturned_thenTheRefusal() {
    Settlement settlement = released();
    settlement.refused(GONE, LATER);
    settlement.refused(GONE, LATER);
    assertThat(told()).containsExactly(returned(), new Event.Refused(LATER, "/a", 0, GONE));
  }

  @Test
  void goesAgain_allIsToldToBeReturned_andItWaitsAndIsReleasedAnew() {
    Settlement settlement = released();
    assertThat(settlement.again(Failure.BROKEN, false, LATER)).isNotNull();
    assertThat(settlement.again(Failure.BROKEN, false, LATER)).isNull();
    assertThat(told())
        .containsExactly(returned(), new Event.Queued(LATER, "/a", 0, COST), released(LATER));
  }

  @Test
  void lasted_isCountedFromTheRelease_andWaitedUntilThen() {
    Endpoint endpoint = open();
    endpoint.pause(true);
    house.drivers.run();
    Pending pending = ask(endpoint);
    house.at(3 * SECOND);
    endpoint.pause(false);
    house.drivers.run();
    assertThat(settlement(pending).waitedNanos()).isEqualTo(3 * SECOND);
    assertThat(settlement(pending).lastedNanos(START + 3 * SECOND)).isZero();
    assertThat(settlement(pending).lastedNanos(START + 5 * SECOND)).isEqualTo(2 * SECOND);
  }

  @Test
  void writtenAlikeByAll_howeverFarApartTheyWent_isNoJitter() {
    Endpoint endpoint = open();
    Settlement first = settlement(ask(endpoint));
    first.written(START + 1_000);
    house.at(SECOND);
    settlement(ask(endpoint)).written(LATER + 1_000);
    Upstream upstream = Objects.requireNonNull(first.upstream());
    assertThat(upstream.jitterNanos()).isZero();
    house.at(2 * SECOND);
    settlement(ask(endpoint)).written(START + 2 * SECOND + 1_500);
    assertThat(upstream.jitterNanos()).isEqualTo(500);
  }

  @Test
  void permitOfATokenWindow_saysWhatItLeft() {
    Endpoint endpoint = house.open(House.tokens("/w", 1_000, 60));
    assertThat(settlement(ask(endpoint)).window()).isEqualTo(new WindowRoom(1_000, 850));
    Settlement second = settlement(ask(endpoint));
    second.permitted(START);
    assertThat(second.window()).as("as it was when it went").isEqualTo(new WindowRoom(1_000, 700));
  }

  @Test
  void withoutATokenWindowOrAPermit_nothingIsSaidOfOne() {
    assertThat(settlement(ask(house.open(House.strict("/s", 1, 1)))).window()).isNull();
    Endpoint forwards = house.open(House.tokens("/w", 1_000, 60).to(upstream("u", 0, 1_000)));
    assertThat(settlement(ask(forwards)).window()).isNull();
  }
}
