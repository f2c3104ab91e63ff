package io.penstock.endpoint;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.assertBalanced;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.strict;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.QueuePlace;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketFate;
import io.penstock.dispatch.TicketRequest;
import io.penstock.dispatch.WaitForecast;
import io.penstock.endpoint.TicketOperations.Removal;
import io.penstock.explain.BindingLimit;
import io.penstock.explain.PastTicket;
import io.penstock.explain.QueueSnapshot;
import io.penstock.explain.TicketRecord;
import io.penstock.explain.WaitExplanation;
import io.penstock.explain.WaitingTicket;
import io.penstock.pool.AttemptFailure;
import io.penstock.queue.QueueBounds;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests of the operators' questions about tickets. */
class TicketOperationsTest {
  private final EndpointFixture endpointFixture = new EndpointFixture();

  private QueueSnapshot sight(Endpoint endpoint, int most) {
    List<QueueSnapshot> told = new ArrayList<>();
    endpointFixture.registry.tickets().list(endpoint, most, told::add);
    endpointFixture.drivers.run();
    return told.getFirst();
  }

  private Optional<TicketRecord> find(Object id) {
    List<Optional<TicketRecord>> told = new ArrayList<>();
    endpointFixture.registry.tickets().find(String.valueOf(id), told::add);
    endpointFixture.drivers.run();
    return told.getFirst();
  }

  private WaitingTicket look(ParkedTicket parkedTicket) {
    return (WaitingTicket) find(parkedTicket.order()).orElseThrow();
  }

  private PastTicket past(ParkedTicket parkedTicket) {
    return (PastTicket) find(parkedTicket.order()).orElseThrow();
  }

  private Removal remove(Object id) {
    List<Removal> told = new ArrayList<>();
    endpointFixture.registry.tickets().remove(String.valueOf(id), told::add);
    endpointFixture.drivers.run();
    return told.getFirst();
  }

  private static ParkedTicket asked(Endpoint endpoint, String requestId) {
    return endpoint.submit(
        RequestFixture.of(null, Cost.ofInput(1))
            .origin(new TicketRequest.Origin(requestId, "alice", null))
            .made());
  }

  @Test
  void thoseWhoWait_areListedInTheirOrder_withWhenTheyWillGo() {
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 10));
    submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    ParkedTicket third = submit(endpoint, 1);
    endpointFixture.at(4 * SECOND);
    QueueSnapshot queueSnapshot = sight(endpoint, 10);
    assertThat(queueSnapshot.nanos()).isEqualTo(START + 4 * SECOND);
    assertThat(queueSnapshot.places())
        .containsExactly(
            new QueuePlace(second, 1, new WaitForecast(6 * SECOND, false)),
            new QueuePlace(third, 2, new WaitForecast(16 * SECOND, false)));
  }

  @Test
  void page_hasNoMoreThanWereAskedFor() {
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 10).bounds(3, 100, 100));
    for (int each = 0; each < 4; each++) {
      submit(endpoint, 1);
    }
    assertThat(sight(endpoint, 3).places()).hasSize(3);
    assertThat(sight(endpoint, 2).places()).hasSize(2);
  }

  @Test
  void shadows_areNotListed() {
    Endpoint endpoint = endpointFixture.openShadow(strict("/", 1, 10));
    submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    assertThat(went(second)).isTrue();
    assertThat(sight(endpoint, 10).places()).isEmpty();
    assertThat(find(second.order())).isEmpty();
    assertThat(remove(second.order())).isEqualTo(Removal.GONE);
  }

  @Test
  void oneThatWaits_isFoundByItsNumberAndByTheIdOfItsRequest() {
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 10));
    submit(endpoint, 1);
    ParkedTicket second = asked(endpoint, "r-2");
    ParkedTicket third = asked(endpoint, "r-3");
    assertThat(look(third).place())
        .isEqualTo(new QueuePlace(third, 2, new WaitForecast(20 * SECOND, false)));
    WaitingTicket waitingTicket = (WaitingTicket) find("r-2").orElseThrow();
    assertThat(waitingTicket.place().ticket()).isSameAs(second);
    assertThat(second.origin()).isEqualTo(new TicketRequest.Origin("r-2", "alice", null));
    assertThat(find("r-4")).isEmpty();
  }

  @Test
  void ofSeveralRequestsOfOneId_theLastIsFound() {
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 10));
    submit(endpoint, 1);
    asked(endpoint, "again");
    ParkedTicket last = asked(endpoint, "again");
    assertThat(((WaitingTicket) find("again").orElseThrow()).place().ticket()).isSameAs(last);
  }

  @Test
  void numberOfATicket_winsOverARequestThatIsCalledLikeIt() {
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 10));
    submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    asked(endpoint, String.valueOf(second.order()));
    assertThat(((WaitingTicket) find(second.order()).orElseThrow()).place().ticket())
        .isSameAs(second);
  }

  @Test
  void whoWentAtOnce_isNotRemembered_norEverOnTheRoll() {
    Endpoint endpoint = endpointFixture.open(none("/"));
    ParkedTicket parkedTicket = submit(endpoint, 1);
    assertThat(find(parkedTicket.order())).isEmpty();
    assertThat(parkedTicket.listed()).isFalse();
    assertThat(find(99)).isEmpty();
    assertThat(find("99999999999999999999")).isEmpty();
    assertThat(find("-1")).isEmpty();
  }

  @Test
  void whoWaitedForLong_isRememberedWithWhatHeldIt_untilItEnds() {
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 10));
    submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    endpointFixture.at(10 * SECOND);
    PastTicket pastTicket = past(second);
    assertThat(pastTicket.fate()).isEqualTo(TicketFate.RUNNING);
    assertThat(pastTicket.waitedNanos()).isEqualTo(10 * SECOND);
    assertThat(pastTicket.refusal()).isNull();
    BindingLimit binds = Objects.requireNonNull(pastTicket.explanation().binding());
    assertThat(binds.cause()).isEqualTo(BindingLimit.Cause.LIMIT);
    assertThat(binds.untilNanos()).isEqualTo(START + 10 * SECOND);
    settlement(second).permitted(endpointFixture.ticker.nanos());
    assertThat(past(second).fate()).isEqualTo(TicketFate.SERVED);
  }

  @Test
  void whoWaitedASecond_isNotRemembered_andWhoWaitedLongerIs() {
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 1));
    submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    ParkedTicket third = submit(endpoint, 1);
    endpointFixture.at(SECOND);
    assertThat(went(second)).isTrue();
    assertThat(find(second.order())).isEmpty();
    endpointFixture.at(2 * SECOND);
    assertThat(past(third).fate()).isEqualTo(TicketFate.RUNNING);
  }

  @Test
  void whoFailedAfterItWent_isRememberedWithWhy() {
    Endpoint endpoint = endpointFixture.open(none("/"));
    ParkedTicket parkedTicket = submit(endpoint, 1);
    Refusal failed = Refusal.of(RefusalReason.UPSTREAM_TIMEOUT, "it took too long");
    settlement(parkedTicket).failed(failed, 0, endpointFixture.ticker.nanos());
    assertThat(past(parkedTicket).refusal()).isEqualTo(failed);
    assertThat(past(parkedTicket).fate()).isEqualTo(TicketFate.REFUSED);
  }

  @Test
  void whoseClientLeftAfterLong_isRemembered() {
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 10));
    submit(endpoint, 1);
    ParkedTicket soon = submit(endpoint, 1);
    ParkedTicket late = submit(endpoint, 1);
    soon.cancel();
    endpointFixture.at(3 * SECOND);
    late.cancel();
    endpointFixture.drivers.run();
    assertThat(find(soon.order())).isEmpty();
    assertThat(past(late).fate()).isEqualTo(TicketFate.CANCELLED);
    assertThat(past(late).explanation().binding()).isNotNull();
    assertThat(remove(late.order())).isEqualTo(Removal.GONE);
  }

  @Test
  void whoWasRefusedBeforeItWasATicket_isRememberedWithWhy() {
    Endpoint endpoint = endpointFixture.open(none("/"));
    Refusal bad = Refusal.of(RefusalReason.BAD_REQUEST, "it is no JSON");
    endpoint.refused(new TicketRequest.Origin("r-1", null, null), Cost.NO_TOKENS, 0, bad);
    PastTicket pastTicket = (PastTicket) find("r-1").orElseThrow();
    assertThat(pastTicket.refusal()).isEqualTo(bad);
    assertThat(pastTicket.explanation()).isEqualTo(WaitExplanation.NONE);
    assertThat(find(pastTicket.number())).contains(pastTicket);
  }

  @Test
  void removal_refusesWithAReason_andItsPlaceIsFree() {
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 10).bounds(1, 100, 100));
    submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    assertThat(remove(second.order())).isEqualTo(Removal.REMOVED);
    assertThat(refusal(second).reason()).isEqualTo(RefusalReason.REMOVED_BY_OPERATOR);
    assertThat(endpoint.totals().requests(TicketFate.REFUSED)).isEqualTo(1);
    assertThat(endpoint.totals().requests(TicketFate.WAITING)).isZero();
    assertThat(past(second).refusal()).isEqualTo(refusal(second));
    ParkedTicket third = submit(endpoint, 1);
    assertThat(waits(third)).isTrue();
    endpointFixture.at(10 * SECOND);
    assertThat(went(third)).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void removal_ofWhoIsGone_andOfWhoNeverWas_changesNothing() {
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 10));
    ParkedTicket first = submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
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
        EndpointSetup.waiting(new QueueBounds(1, 100, 100), 2, 0, false, 0);
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 10), EndpointSetup.fifo(64), waiting);
    submit(endpoint, 1);
    submit(endpoint, 1);
    ParkedTicket blocked = submit(endpoint, 1);
    ParkedTicket next = submit(endpoint, 1);
    assertThat(look(blocked).explanation().binding())
        .isEqualTo(BindingLimit.of(BindingLimit.Cause.QUEUE_FULL, Ticker.NEVER));
    assertThat(look(next).place().position()).isEqualTo(3);
    assertThat(remove(blocked.order())).isEqualTo(Removal.REMOVED);
    assertThat(look(next).place().position()).isEqualTo(2);
    endpointFixture.at(20 * SECOND);
    assertThat(went(next)).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void roll_isEmptyWhenNobodyWaits() {
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 10).maxWait(15 * SECOND));
    submit(endpoint, 1);
    ParkedTicket goes = submit(endpoint, 1);
    ParkedTicket expires = submit(endpoint, 1);
    ParkedTicket leaves = submit(endpoint, 1);
    List<ParkedTicket> all = List.of(goes, expires, leaves);
    assertThat(all).allMatch(each -> find(each.order()).orElseThrow() instanceof WaitingTicket);
    leaves.cancel();
    endpointFixture.at(15 * SECOND);
    assertThat(all).noneMatch(each -> find(each.order()).orElse(null) instanceof WaitingTicket);
    assertThat(endpointFixture.roll.size()).isZero();
    assertThat(past(expires).fate()).isEqualTo(TicketFate.EXPIRED);
  }

  @Test
  void oneThatComesBack_isFoundAgain_andEndsAsItself() {
    Endpoint endpoint = endpointFixture.open(none("/").to(EndpointFixture.upstream("u", 1, 0)));
    ParkedTicket first = submit(endpoint, 1);
    ParkedTicket again =
        Objects.requireNonNull(
            settlement(first).retry(AttemptFailure.BROKEN, false, endpointFixture.ticker.nanos()));
    assertThat(look(again).place().ticket()).isSameAs(again);
    assertThat(remove(again.order())).isEqualTo(Removal.REMOVED);
    assertThat(refusal(again).reason()).isEqualTo(RefusalReason.REMOVED_BY_OPERATOR);
    assertBalanced(endpoint);
  }
}
