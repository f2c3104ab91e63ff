package io.penstock.endpoint;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.strict;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.queue.QueueBounds;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests repeats of requests that were lost while they waited; one request goes every 10 s. */
class LostPlacesTest {
  private static final QueueBounds WIDE =
      new QueueBounds(1_000, QueueBounds.UNLIMITED, QueueBounds.UNLIMITED);

  private final EndpointFixture endpointFixture = new EndpointFixture();

  private Endpoint open(long maxWaitSeconds) {
    EndpointSpec.Waiting waiting =
        new EndpointSpec.Waiting(
            WIDE,
            0,
            0,
            false,
            maxWaitSeconds * SECOND,
            10 * SECOND,
            EndpointSpec.Heartbeats.NONE,
            0,
            0);
    return endpointFixture.open(strict("/", 1, 10), EndpointSetup.fifo(64), waiting);
  }

  /** Submits a request of a key, with a body that stands for those bytes. */
  private static ParkedTicket submit(Endpoint endpoint, String key, long bytes) {
    return endpoint.submit(
        RequestFixture.of(null, Cost.ofInput(1)).tenant(key).fingerprint(bytes).made());
  }

  private static void fill(Endpoint endpoint) {
    assertThat(went(submit(endpoint, "first", 0))).isTrue();
  }

  @Test
  void clientGivesUpAndRepeats_itGoesBeforeThoseThatCameLater_andPassesNobodyBefore() {
    Endpoint endpoint = open(600);
    fill(endpoint);
    ParkedTicket before = submit(endpoint, "b", 1);
    ParkedTicket lost = submit(endpoint, "a", 7);
    ParkedTicket after = submit(endpoint, "c", 2);
    lost.cancel();
    endpointFixture.at(5 * SECOND);
    ParkedTicket again = submit(endpoint, "a", 7);
    assertThat(again.order()).isEqualTo(lost.order());
    assertThat(again.arrivedNanos()).isEqualTo(lost.arrivedNanos());
    endpointFixture.at(10 * SECOND);
    assertThat(List.of(went(before), went(again), went(after))).containsExactly(true, false, false);
    endpointFixture.at(20 * SECOND);
    assertThat(List.of(went(again), went(after))).containsExactly(true, false);
    endpointFixture.at(30 * SECOND);
    assertThat(went(after)).isTrue();
  }

  @Test
  void repeatComesBeforeTheQueueHasNoticedTheLoss_itTakesThePlace() {
    Endpoint endpoint = open(600);
    fill(endpoint);
    ParkedTicket lost = submit(endpoint, "a", 7);
    ParkedTicket after = submit(endpoint, "c", 2);
    lost.cancel();
    ParkedTicket again = submit(endpoint, "a", 7);
    assertThat(again.order()).isEqualTo(lost.order());
    endpointFixture.at(10 * SECOND);
    assertThat(List.of(went(again), went(after))).containsExactly(true, false);
  }

  @Test
  void maxWaitEnds_theRefusalSaysThatThePlaceIsKept_andItIs() {
    Endpoint endpoint = open(25);
    fill(endpoint);
    submit(endpoint, "b", 1);
    submit(endpoint, "b", 2);
    ParkedTicket late = submit(endpoint, "a", 7);
    endpointFixture.at(25 * SECOND);
    Refusal refusal = refusal(late);
    assertThat(refusal.reason()).isEqualTo(RefusalReason.QUEUE_TIMEOUT);
    assertThat(refusal.detail())
        .isEqualTo("it waited 25.0 s, the longest it may; its place is kept for a repeat");
    assertThat(refusal.retryAfterNanos()).isEqualTo(SECOND);
    ParkedTicket newcomer = submit(endpoint, "c", 3);
    endpointFixture.at(26 * SECOND);
    ParkedTicket again = submit(endpoint, "a", 7);
    endpointFixture.at(30 * SECOND);
    assertThat(List.of(went(again), went(newcomer))).containsExactly(true, false);
  }

  @ParameterizedTest
  @ValueSource(strings = {"other key", "other bytes", "too late"})
  void requestThatIsNoRepeat_startsAtTheEnd(String difference) {
    Endpoint endpoint = open(600);
    fill(endpoint);
    ParkedTicket lost = submit(endpoint, "a", 7);
    ParkedTicket after = submit(endpoint, "c", 2);
    lost.cancel();
    endpointFixture.at(difference.equals("too late") ? 10 * SECOND + 1 : SECOND);
    ParkedTicket other =
        submit(
            endpoint,
            difference.equals("other key") ? "b" : "a",
            difference.equals("other bytes") ? 8 : 7);
    assertThat(other.order()).isGreaterThan(after.order());
  }

  @Test
  void secondRequestWithTheSameBytes_hasAPlaceOfItsOwn() {
    Endpoint endpoint = open(600);
    fill(endpoint);
    ParkedTicket one = submit(endpoint, "a", 7);
    ParkedTicket two = submit(endpoint, "a", 7);
    assertThat(two.order()).isGreaterThan(one.order());
    two.cancel();
    one.cancel();
    endpointFixture.drivers.run();
    assertThat(submit(endpoint, "a", 7).order()).isEqualTo(one.order());
    assertThat(submit(endpoint, "a", 7).order()).isEqualTo(two.order());
    assertThat(submit(endpoint, "a", 7).order()).isGreaterThan(two.order());
  }

  @Test
  void repeatIsLostAgain_itsPlaceIsKeptAgain() {
    Endpoint endpoint = open(600);
    fill(endpoint);
    ParkedTicket lost = submit(endpoint, "a", 7);
    for (int each = 1; each <= 5; each++) {
      lost.cancel();
      endpointFixture.at(each * SECOND);
      ParkedTicket again = submit(endpoint, "a", 7);
      assertThat(again.order()).isEqualTo(lost.order());
      lost = again;
    }
  }

  @Test
  void tenantLosesManyPlaces_oneHundredOfThemAreKept_andThoseOfOthersStay() {
    Endpoint endpoint = open(600);
    fill(endpoint);
    ParkedTicket other = submit(endpoint, "b", 1);
    other.cancel();
    List<ParkedTicket> lost = new ArrayList<>();
    for (int each = 0; each <= LostPlaces.MOST_OF_TENANT; each++) {
      lost.add(submit(endpoint, "a", 1_000 + each));
    }
    lost.forEach(ParkedTicket::cancel);
    endpointFixture.drivers.run();
    assertThat(submit(endpoint, "b", 1).order()).isEqualTo(other.order());
    ParkedTicket last = lost.getLast();
    assertThat(submit(endpoint, "a", 1_000 + LostPlaces.MOST_OF_TENANT).order())
        .isGreaterThan(last.order());
    assertThat(submit(endpoint, "a", 1_000).order()).isEqualTo(lost.getFirst().order());
  }

  @Test
  void manyTenantsLosePlaces_thoseThatAreOverMakeRoom() {
    Endpoint endpoint = open(600);
    fill(endpoint);
    for (int each = 0; each < LostPlaces.MOST; each++) {
      ParkedTicket lost = submit(endpoint, "tenant " + each, 7);
      lost.cancel();
      endpointFixture.drivers.run();
    }
    ParkedTicket late = submit(endpoint, "late", 7);
    late.cancel();
    endpointFixture.drivers.run();
    assertThat(submit(endpoint, "late", 7).order()).as("not kept").isGreaterThan(late.order());
    endpointFixture.at(10 * SECOND + 1);
    ParkedTicket next = submit(endpoint, "next", 7);
    next.cancel();
    endpointFixture.drivers.run();
    assertThat(submit(endpoint, "next", 7).order()).isEqualTo(next.order());
    assertThat(submit(endpoint, "tenant 0", 7).order()).isGreaterThan(next.order());
  }

  @Test
  void clientComesBackAtTheTimeItWasTold_itGoesBeforeThoseThatCameLater() {
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 10).queueTimeout(15 * SECOND));
    fill(endpoint);
    submit(endpoint, "b", 1);
    RequestFixture client = RequestFixture.of(null, Cost.ofInput(1)).tenant("a").session("s");
    long told = refusal(endpoint.submit(client.made())).retryAfterNanos();
    assertThat(told).isEqualTo(5 * SECOND);
    endpointFixture.at(5 * SECOND);
    ParkedTicket newcomer = submit(endpoint, "c", 2);
    endpointFixture.at(6 * SECOND);
    ParkedTicket back = endpoint.submit(client.made());
    assertThat(back.order()).isLessThan(newcomer.order());
    endpointFixture.at(20 * SECOND);
    assertThat(List.of(went(back), went(newcomer))).containsExactly(true, false);
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 8})
  void clientComesBackTooEarlyOrTooLate_itIsANewcomer(long seconds) {
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 10).queueTimeout(15 * SECOND));
    fill(endpoint);
    submit(endpoint, "b", 1);
    RequestFixture client = RequestFixture.of(null, Cost.ofInput(1)).tenant("a").session("s");
    refusal(endpoint.submit(client.made()));
    ParkedTicket other = submit(endpoint, "b", 2);
    endpointFixture.at(seconds * SECOND);
    assertThat(endpoint.submit(client.made()).order()).isGreaterThan(other.order());
  }
}
