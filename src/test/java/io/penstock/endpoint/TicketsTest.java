package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.assertBalanced;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.strict;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Tickets.Removal;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.pool.Failure;
import io.penstock.queue.Bounds;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests of the operators' questions about tickets. */
class TicketsTest {
  private final House house = new House();

  private Sight sight(Endpoint endpoint, int most) {
    List<Sight> told = new ArrayList<>();
    house.registry.tickets().list(endpoint, most, told::add);
    house.drivers.run();
    return told.getFirst();
  }

  private Optional<Known> find(Object id) {
    List<Optional<Known>> told = new ArrayList<>();
    house.registry.tickets().find(String.valueOf(id), told::add);
    house.drivers.run();
    return told.getFirst();
  }

  private Look look(Pending pending) {
    return (Look) find(pending.order()).orElseThrow();
  }

  private Past past(Pending pending) {
    return (Past) find(pending.order()).orElseThrow();
  }

  private Removal remove(Object id) {
    List<Removal> told = new ArrayList<>();
    house.registry.tickets().remove(String.valueOf(id), told::add);
    house.drivers.run();
    return told.getFirst();
  }

  private static Pending asked(Endpoint endpoint, String requestId) {
    return endpoint.submit(
        new Ask(
            null,
            Cost.ofInput(1),
            0,
            Patience.DEFAULT,
            0,
            Ask.Flow.ANONYMOUS,
            Ask.Kept.NOWHERE,
            null,
            null,
            new Ask.Origin(requestId, "alice")));
  }

  @Test
  void thoseWhoWait_areListedInTheirOrder_withWhenTheyWillGo() {
    Endpoint endpoint = house.open(strict("/", 1, 10));
    submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    Pending third = submit(endpoint, 1);
    house.at(4 * SECOND);
    Sight sight = sight(endpoint, 10);
    assertThat(sight.nanos()).isEqualTo(START + 4 * SECOND);
    assertThat(sight.places())
        .containsExactly(new Place(second, 1, 6 * SECOND), new Place(third, 2, 16 * SECOND));
  }

  @Test
  void page_hasNoMoreThanWereAskedFor() {
    Endpoint endpoint = house.open(strict("/", 1, 10).bounds(3, 100, 100));
    for (int each = 0; each < 4; each++) {
      submit(endpoint, 1);
    }
    assertThat(sight(endpoint, 3).places()).hasSize(3);
    assertThat(sight(endpoint, 2).places()).hasSize(2);
  }

  @Test
  void shadows_areNotListed() {
    Endpoint endpoint = house.openShadow(strict("/", 1, 10));
    submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    assertThat(went(second)).isTrue();
    assertThat(sight(endpoint, 10).places()).isEmpty();
    assertThat(find(second.order())).isEmpty();
    assertThat(remove(second.order())).isEqualTo(Removal.GONE);
  }

  @Test
  void oneThatWaits_isFoundByItsNumberAndByTheIdOfItsRequest() {
    Endpoint endpoint = house.open(strict("/", 1, 10));
    submit(endpoint, 1);
    Pending second = asked(endpoint, "r-2");
    Pending third = asked(endpoint, "r-3");
    assertThat(look(third).place()).isEqualTo(new Place(third, 2, 20 * SECOND));
    Look look = (Look) find("r-2").orElseThrow();
    assertThat(look.place().ticket()).isSameAs(second);
    assertThat(second.origin()).isEqualTo(new Ask.Origin("r-2", "alice"));
    assertThat(find("r-4")).isEmpty();
  }

  @Test
  void ofSeveralRequestsOfOneId_theLastIsFound() {
    Endpoint endpoint = house.open(strict("/", 1, 10));
    submit(endpoint, 1);
    asked(endpoint, "again");
    Pending last = asked(endpoint, "again");
    assertThat(((Look) find("again").orElseThrow()).place().ticket()).isSameAs(last);
  }

  @Test
  void numberOfATicket_winsOverARequestThatIsCalledLikeIt() {
    Endpoint endpoint = house.open(strict("/", 1, 10));
    submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    asked(endpoint, String.valueOf(second.order()));
    assertThat(((Look) find(second.order()).orElseThrow()).place().ticket()).isSameAs(second);
  }

  @Test
  void whoWentAtOnce_isNotRemembered_norEverOnTheRoll() {
    Endpoint endpoint = house.open(none("/"));
    Pending pending = submit(endpoint, 1);
    assertThat(find(pending.order())).isEmpty();
    assertThat(pending.listed).isFalse();
    assertThat(find(99)).isEmpty();
    assertThat(find("99999999999999999999")).isEmpty();
    assertThat(find("-1")).isEmpty();
  }

  @Test
  void whoWaitedForLong_isRememberedWithWhatHeldIt_untilItEnds() {
    Endpoint endpoint = house.open(strict("/", 1, 10));
    submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    house.at(10 * SECOND);
    Past past = past(second);
    assertThat(past.fate()).isEqualTo(Fate.RUNNING);
    assertThat(past.waitedNanos()).isEqualTo(10 * SECOND);
    assertThat(past.refusal()).isNull();
    Binding binds = Objects.requireNonNull(past.explanation().binds());
    assertThat(binds.what()).isEqualTo(Binding.What.LIMIT);
    assertThat(binds.untilNanos()).isEqualTo(START + 10 * SECOND);
    settlement(second).permitted(house.ticker.nanos());
    assertThat(past(second).fate()).isEqualTo(Fate.SERVED);
  }

  @Test
  void whoWaitedASecond_isNotRemembered_andWhoWaitedLongerIs() {
    Endpoint endpoint = house.open(strict("/", 1, 1));
    submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    Pending third = submit(endpoint, 1);
    house.at(SECOND);
    assertThat(went(second)).isTrue();
    assertThat(find(second.order())).isEmpty();
    house.at(2 * SECOND);
    assertThat(past(third).fate()).isEqualTo(Fate.RUNNING);
  }

  @Test
  void whoFailedAfterItWent_isRememberedWithWhy() {
    Endpoint endpoint = house.open(none("/"));
    Pending pending = submit(endpoint, 1);
    Refusal failed = Refusal.of(Reason.UPSTREAM_TIMEOUT, "it took too long");
    settlement(pending).failed(failed, 0, house.ticker.nanos());
    assertThat(past(pending).refusal()).isEqualTo(failed);
    assertThat(past(pending).fate()).isEqualTo(Fate.REFUSED);
  }

  @Test
  void whoseClientLeftAfterLong_isRemembered() {
    Endpoint endpoint = house.open(strict("/", 1, 10));
    submit(endpoint, 1);
    Pending soon = submit(endpoint, 1);
    Pending late = submit(endpoint, 1);
    endpoint.cancel(soon);
    house.at(3 * SECOND);
    endpoint.cancel(late);
    house.drivers.run();
    assertThat(find(soon.order())).isEmpty();
    assertThat(past(late).fate()).isEqualTo(Fate.CANCELLED);
    assertThat(past(late).explanation().binds()).isNotNull();
    assertThat(remove(late.order())).isEqualTo(Removal.GONE);
  }

  @Test
  void whoWasRefusedBeforeItWasATicket_isRememberedWithWhy() {
    Endpoint endpoint = house.open(none("/"));
    Refusal bad = Refusal.of(Reason.BAD_REQUEST, "it is no JSON");
    endpoint.refused(new Ask.Origin("r-1", null), Cost.NO_TOKENS, 0, bad);
    Past past = (Past) find("r-1").orElseThrow();
    assertThat(past.refusal()).isEqualTo(bad);
    assertThat(past.explanation()).isEqualTo(Explanation.NONE);
    assertThat(find(past.number())).contains(past);
  }

  @Test
  void removal_refusesWithAReason_andItsPlaceIsFree() {
    Endpoint endpoint = house.open(strict("/", 1, 10).bounds(1, 100, 100));
    submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    assertThat(remove(second.order())).isEqualTo(Removal.REMOVED);
    assertThat(refusal(second).reason()).isEqualTo(Reason.REMOVED_BY_OPERATOR);
    assertThat(endpoint.totals().requests(Fate.REFUSED)).isEqualTo(1);
    assertThat(endpoint.totals().requests(Fate.WAITING)).isZero();
    assertThat(past(second).refusal()).isEqualTo(refusal(second));
    Pending third = submit(endpoint, 1);
    assertThat(waits(third)).isTrue();
    house.at(10 * SECOND);
    assertThat(went(third)).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void removal_ofWhoIsGone_andOfWhoNeverWas_changesNothing() {
    Endpoint endpoint = house.open(strict("/", 1, 10));
    Pending first = submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    assertThat(remove(first.order())).isEqualTo(Removal.GONE);
    assertThat(remove(second.order())).isEqualTo(Removal.REMOVED);
    assertThat(remove(second.order())).isEqualTo(Removal.GONE);
    assertThat(remove(2)).isEqualTo(Removal.UNKNOWN);
    assertThat(remove("r-1")).isEqualTo(Removal.UNKNOWN);
    assertThat(went(first)).isTrue();
  }

  @Test
  void removal_ofOneThatWaitsForAPlace_letsTheOthersIn() {
    EndpointSpec.Waiting waiting =
        new EndpointSpec.Waiting(new Bounds(1, 100, 100), 2, 0, false, 0, 0);
    Endpoint endpoint = house.open(strict("/", 1, 10), EndpointSpec.Scheduling.fifo(64), waiting);
    submit(endpoint, 1);
    submit(endpoint, 1);
    Pending blocked = submit(endpoint, 1);
    Pending next = submit(endpoint, 1);
    assertThat(look(blocked).explanation().binds())
        .isEqualTo(Binding.of(Binding.What.QUEUE_FULL, Ticker.NEVER));
    assertThat(look(next).place().position()).isEqualTo(3);
    assertThat(remove(blocked.order())).isEqualTo(Removal.REMOVED);
    assertThat(look(next).place().position()).isEqualTo(2);
    house.at(20 * SECOND);
    assertThat(went(next)).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void roll_isEmptyWhenNobodyWaits() {
    Endpoint endpoint = house.open(strict("/", 1, 10).maxWait(15 * SECOND));
    submit(endpoint, 1);
    Pending goes = submit(endpoint, 1);
    Pending expires = submit(endpoint, 1);
    Pending leaves = submit(endpoint, 1);
    List<Pending> all = List.of(goes, expires, leaves);
    assertThat(all).allMatch(each -> find(each.order()).orElseThrow() instanceof Look);
    endpoint.cancel(leaves);
    house.at(15 * SECOND);
    assertThat(all).noneMatch(each -> find(each.order()).orElse(null) instanceof Look);
    assertThat(house.roll.size()).isZero();
    assertThat(past(expires).fate()).isEqualTo(Fate.EXPIRED);
  }

  @Test
  void oneThatComesBack_isFoundAgain_andEndsAsItself() {
    Endpoint endpoint = house.open(none("/").to(House.upstream("u", 1, 0)));
    Pending first = submit(endpoint, 1);
    Pending again =
        Objects.requireNonNull(
            settlement(first).again(Failure.BROKEN, false, house.ticker.nanos()));
    assertThat(look(again).place().ticket()).isSameAs(again);
    assertThat(remove(again.order())).isEqualTo(Removal.REMOVED);
    assertThat(refusal(again).reason()).isEqualTo(Reason.REMOVED_BY_OPERATOR);
    assertBalanced(endpoint);
  }
}
