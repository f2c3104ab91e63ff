package io.penstock.explain;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.WaitForecast;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.explain.RecentPlaces.Place;
import io.penstock.explain.RecentPlaces.Places;
import io.penstock.fake.PatientWaits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class RecentPlacesTest {
  private static final long MILLI = 1_000_000;

  private final EndpointFixture fixture = new EndpointFixture();

  /** Returns an endpoint that releases one ticket every ten seconds, and has just released one. */
  private Endpoint spaced(long most) {
    Endpoint endpoint =
        fixture.open(EndpointFixture.strict("/a", 1, 10).bounds(most, 1L << 40, 1L << 40));
    submit(endpoint, 1);
    return endpoint;
  }

  private static Place place(int position, long waitNanos) {
    return new Place(position, new WaitForecast(waitNanos, false));
  }

  private static List<ParkedTicket> tickets(Endpoint endpoint, int count) {
    List<ParkedTicket> tickets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tickets.add(submit(endpoint, 1));
    }
    return tickets;
  }

  private Places places(Endpoint endpoint) throws Exception {
    CompletionStage<Places> places = endpoint.places();
    fixture.drivers.run();
    return PatientWaits.join(places);
  }

  @Test
  void waitingTickets_haveTheirPlaceAndTheirWait() throws Exception {
    Endpoint endpoint = spaced(10);
    List<ParkedTicket> tickets = tickets(endpoint, 3);
    Places places = places(endpoint);
    assertThat(places.of(tickets.getFirst())).isEqualTo(place(1, 10 * SECOND));
    assertThat(places.of(tickets.getLast())).isEqualTo(place(3, 30 * SECOND));
  }

  @Test
  void ticketOfAPausedEndpoint_hasAPlaceAndNoKnownWait() throws Exception {
    Endpoint endpoint = spaced(10);
    ParkedTicket ticket = submit(endpoint, 1);
    endpoint.pause(true);
    assertThat(places(endpoint).of(ticket)).isEqualTo(new Place(1, WaitForecast.UNKNOWN));
  }

  @Test
  void questionsOfAWhile_shareOneWalk() throws Exception {
    Endpoint endpoint = spaced(10_000);
    tickets(endpoint, 1_000);
    Places first = places(endpoint);
    fixture.at(50 * MILLI - 1); // 50 µs for each ticket
    ParkedTicket late = submit(endpoint, 1);
    assertThat(places(endpoint)).isSameAs(first);
    assertThat(first.of(late)).isNull();
    fixture.at(50 * MILLI);
    Places next = places(endpoint);
    assertThat(next).isNotSameAs(first);
    assertThat(next.of(late)).isEqualTo(place(1_001, 10_010 * SECOND - 50 * MILLI));
  }

  @Test
  void questionThatIsGivenUp_leavesTheOthersAlone() throws Exception {
    Endpoint endpoint = spaced(10);
    List<ParkedTicket> tickets = tickets(endpoint, 1);
    for (int times = 0; times < 2; times++) {
      assertThat(endpoint.places().cancel(true)).isTrue();
    }
    CompletionStage<Places> third = endpoint.places();
    fixture.drivers.run();
    assertThat(PatientWaits.join(third).of(tickets.getFirst())).isEqualTo(place(1, 10 * SECOND));
    assertThat(endpoint.places().cancel(true)).as("it is known already").isFalse();
  }

  @Test
  void ticketBeyondTheFarthest_hasNoKnownPlace() throws Exception {
    Endpoint endpoint = spaced(QueueSnapshot.FARTHEST + 1);
    List<ParkedTicket> tickets = tickets(endpoint, QueueSnapshot.FARTHEST + 1);
    Places places = places(endpoint);
    Place last = places.of(tickets.get(QueueSnapshot.FARTHEST - 1));
    assertThat(last).isNotNull().extracting(Place::position).isEqualTo(QueueSnapshot.FARTHEST);
    assertThat(places.of(tickets.getLast())).isNull();
  }

  @Test
  void emptyQueue_forgetsItsPlaces() throws Exception {
    Endpoint endpoint = spaced(10);
    ParkedTicket ticket = submit(endpoint, 1);
    Places before = places(endpoint);
    ticket.cancel();
    fixture.drivers.run();
    assertThat(places(endpoint)).isNotSameAs(before);
    assertThat(places(endpoint).of(ticket)).isNull();
  }
}
