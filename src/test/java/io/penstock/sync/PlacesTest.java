package io.penstock.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.coordination.Agenda;
import io.penstock.coordination.Operation;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which turns wait at which object, and when it is looked at. */
class PlacesTest {
  /** Store clock for a Redis with the local clock. */
  private static final class Same implements StoreClock {
    @Override
    public void heard(long askedNanos, long heardNanos, long storeMicros) {
      // the clock is known
    }

    @Override
    public long localNanos(long storeMicros, long nowNanos) {
      return storeMicros * 1_000;
    }

    @Override
    public String fence(long nowNanos) {
      return "";
    }

    @Override
    public String now() {
      return "";
    }
  }

  private final Agenda agenda = new Agenda();
  private final List<String> due = new ArrayList<>();
  private final Places places = new Places(agenda, new Same(), (key, kind) -> due.add(key));
  private long number;

  private Visit visit(String key) {
    Visit visit = new Visit(key, "name", ++number, 0, 'w');
    visit.begin(new Operation.AwaitEvent(), 0, gone -> {});
    return visit;
  }

  private Visit waits(String key) {
    Visit visit = visit(key);
    places.add(visit);
    return visit;
  }

  @Test
  void thoseWhoWait_areCountedByObjectInTheirOrder() {
    Visit first = waits("a");
    Visit second = waits("a");
    Visit other = waits("b");
    assertThat(places.waiting()).isEqualTo(3);
    assertThat(places.byObject()).containsExactlyInAnyOrder(List.of(first, second), List.of(other));
    places.remove(second);
    places.remove(second);
    assertThat(places.waiting()).isEqualTo(2);
    places.remove(first);
    assertThat(places.byObject()).containsExactly(List.of(other));
  }

  @Test
  void whoAsks_doesNotWaitYet_butIsToldOfTheObject() {
    Visit asks = visit("a");
    places.asks(asks);
    assertThat(places.byObject()).isEmpty();
    places.next("a", 1, 5, 0);
    assertThat(agenda.nextNanos()).isEqualTo(5_000);
    places.asked(asks);
    assertThat(agenda.nextNanos()).as("nobody is there").isEqualTo(Ticker.NEVER);
  }

  @Test
  void objectAtWhichOneStillAsks_isKeptWhenTheOnlyOneThatWaitsGoes() {
    Visit waits = waits("a");
    Visit asks = visit("a");
    places.asks(asks);
    places.next("a", 1, 5, 0);
    places.remove(waits);
    assertThat(agenda.nextNanos()).isEqualTo(5_000);
    places.add(waits);
    places.asked(asks);
    assertThat(agenda.nextNanos()).isEqualTo(5_000);
    places.remove(waits);
    assertThat(agenda.nextNanos()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void objectWhoseTimeHasCome_isLookedAtOnce() {
    waits("a");
    places.next("a", 1, 5, 0);
    agenda.run(4_999);
    assertThat(due).isEmpty();
    agenda.run(5_000);
    assertThat(due).containsExactly("a");
    places.next("a", 2, 5, 0);
    agenda.run(5_000);
    assertThat(due).containsExactly("a", "a");
  }

  @Test
  void laterWord_takesThePlaceOfTheOneBefore() {
    waits("a");
    places.next("a", 1, 5, 0);
    places.next("a", 2, 9, 0);
    assertThat(agenda.nextNanos()).isEqualTo(9_000);
    places.next("a", 2, 8, 0);
    assertThat(agenda.nextNanos()).as("of the same instant").isEqualTo(8_000);
    places.next("a", 2, 10, 0);
    assertThat(agenda.nextNanos()).as("of the same instant").isEqualTo(10_000);
    places.next("a", 3, ObjectScript.NEVER, 0);
    assertThat(agenda.nextNanos()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void overtakenWord_putsNothingOff_butMayHaveItLookedAtSooner() {
    waits("a");
    places.next("a", 5, 7, 0);
    places.next("a", 4, 9, 0);
    assertThat(agenda.nextNanos()).isEqualTo(7_000);
    places.next("a", 4, 6, 0);
    assertThat(agenda.nextNanos()).isEqualTo(6_000);
    places.next("a", 4, 9, 0);
    assertThat(agenda.nextNanos()).as("still overtaken").isEqualTo(6_000);
    places.next("a", 6, 9, 0);
    assertThat(agenda.nextNanos()).isEqualTo(9_000);
  }

  @Test
  void objectThatIsToBeLookedAtAtTheSameInstant_keepsItsTurn() {
    waits("a");
    waits("b");
    places.at("a", 7);
    places.at("b", 7);
    places.at("a", 7);
    agenda.run(7);
    assertThat(due).containsExactly("a", "b");
  }

  @Test
  void objectAtWhichNobodyIs_isNotLookedAt() {
    places.next("a", 1, 5, 0);
    places.at("a", 5);
    assertThat(agenda.nextNanos()).isEqualTo(Ticker.NEVER);
  }
}
