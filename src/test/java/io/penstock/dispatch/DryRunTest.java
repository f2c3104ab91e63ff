package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
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
import io.penstock.endpoint.EndpointSetup;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that a dry run changes nothing, and what ends its certainty. */
class DryRunTest {
  private static final long HOLD = 5 * SECOND;

  private final EndpointFixture fixture = new EndpointFixture();

  private static ParkedTicket ask(Endpoint endpoint, @Nullable Long prefix, Cost cost) {
    TicketRequest.SharedPrefix shared =
        prefix == null ? null : new TicketRequest.SharedPrefix("k", prefix, HOLD);
    return endpoint.submit(RequestFixture.of("m", cost).sharedPrefix(shared).made());
  }

  private Map<ParkedTicket, WaitForecast> places(Endpoint endpoint) {
    Map<ParkedTicket, WaitForecast> places = new LinkedHashMap<>();
    fixture
        .registry
        .tickets()
        .list(
            endpoint,
            1_000,
            snapshot ->
                snapshot.places().forEach(place -> places.put(place.ticket(), place.expected())));
    fixture.drivers.run();
    return places;
  }

  @Test
  void list_takesNothingAndSendsNobody() {
    Endpoint endpoint = fixture.open(none("/a").to(upstream("u", 2, 0)));
    submit(endpoint, 1);
    submit(endpoint, 1);
    ParkedTicket first = submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    Map<ParkedTicket, WaitForecast> before = places(endpoint);
    assertThat(places(endpoint)).as("asked again").isEqualTo(before);
    assertThat(waits(first)).isTrue();
    assertThat(first.state()).isEqualTo(ParkedTicket.State.PARKED);
    fixture.at(61 * SECOND);
    assertThat(went(first)).isTrue();
    assertThat(went(second)).isTrue();
  }

  @Test
  void warmUpThatWouldBegin_isNotBegunAndEndsTheCertainty() {
    Endpoint endpoint = fixture.open(none("/a").to(upstream("u", 1, 0)));
    ask(endpoint, null, Cost.ofInput(1));
    ParkedTicket leader = ask(endpoint, 1L, Cost.ofInput(1));
    ParkedTicket member = ask(endpoint, 1L, Cost.ofInput(1));
    ParkedTicket other = ask(endpoint, null, Cost.ofInput(1));
    Map<ParkedTicket, WaitForecast> places = places(endpoint);
    assertThat(places).containsEntry(leader, new WaitForecast(61 * SECOND, false));
    assertThat(Objects.requireNonNull(places.get(member)).bound()).isTrue();
    assertThat(Objects.requireNonNull(places.get(other)).bound()).isTrue();
    fixture.at(61 * SECOND);
    assertThat(went(leader)).as("the group was still to begin").isTrue();
    assertThat(waits(member)).isTrue();
  }

  @Test
  void probeDecides_theTrialIsNotUsedUp() {
    UpstreamSpec spec = UpstreamSetup.of("u").limits(1, 0, 0, 0).spec();
    Endpoint endpoint = fixture.open(none("/a").to(spec));
    submit(endpoint, 1);
    ParkedTicket ticket = submit(endpoint, 1);
    long now = fixture.ticker.nanos();
    Upstream upstream = Objects.requireNonNull(fixture.upstreams.find("u"));
    upstream.health().tryFrom(now + SECOND, now + 70 * SECOND, SECOND);
    WaitForecast forecast = Objects.requireNonNull(places(endpoint).get(ticket));
    assertThat(forecast.bound()).isTrue();
    assertThat(forecast.waitNanos()).isEqualTo(61 * SECOND);
    assertThat(upstream.health().opens(now)).isEqualTo(now + 70 * SECOND);
  }

  @Test
  void permitsRunOut_thoseBehindAreNotPromisedAnythingExact() {
    UpstreamSpec spec =
        UpstreamSetup.of("u").limits(new UpstreamSpec.Limits(2, 0, 0, 0, 0, 3)).spec();
    Endpoint endpoint = fixture.open(none("/a").to(spec));
    ParkedTicket running = submit(endpoint, 1);
    submit(endpoint, 1);
    ParkedTicket third = submit(endpoint, 1);
    ParkedTicket fourth = submit(endpoint, 1);
    assertThat(places(endpoint))
        .as("one permit is left, and nobody knows when the next comes back")
        .containsEntry(third, new WaitForecast(61 * SECOND, false))
        .containsEntry(fourth, new WaitForecast(61 * SECOND, true));
    settlement(running).served(new TokenUsage(1, 0, 0), 0, fixture.ticker.nanos());
    fixture.drivers.run();
    assertThat(places(endpoint)).containsEntry(fourth, new WaitForecast(61 * SECOND, false));
  }

  @Test
  void outputIsReservedByThoseThatGo_theNextOnesHaveBounds() {
    UpstreamSpec spec =
        UpstreamSetup.of("u").limits(new UpstreamSpec.Limits(0, 100, 0, 0, 0, 0)).spec();
    Endpoint endpoint = fixture.open(none("/a").to(spec));
    ask(endpoint, null, Cost.ofInput(100));
    ParkedTicket first = ask(endpoint, null, new Cost(10, 60, 0));
    ParkedTicket second = ask(endpoint, null, new Cost(10, 60, 0));
    Map<ParkedTicket, WaitForecast> places = places(endpoint);
    assertThat(places)
        .containsEntry(first, new WaitForecast(61 * SECOND, false))
        .containsEntry(second, new WaitForecast(122 * SECOND, true));
  }

  @Test
  void permitUsesMoreThanAWindow_thoseBehindAreToldWhenItsDebtIsPaid() {
    Endpoint endpoint =
        fixture.open(EndpointSetup.of("/a", new LimitSpec.FixedWindow(4, 10 * SECOND)));
    settlement(submit(endpoint, 4)).permitted(fixture.ticker.nanos());
    ParkedTicket large = ask(endpoint, null, new Cost(1, 5, 0));
    ParkedTicket next = ask(endpoint, null, Cost.ofInput(3));
    assertThat(places(endpoint))
        .containsEntry(large, new WaitForecast(10 * SECOND, false))
        .as("2 of the window after it are debt")
        .containsEntry(next, new WaitForecast(30 * SECOND, false));
    fixture.at(10 * SECOND);
    settlement(large).permitted(fixture.ticker.nanos());
    fixture.at(29 * SECOND);
    assertThat(waits(next)).isTrue();
    fixture.at(30 * SECOND);
    assertThat(went(next)).isTrue();
  }
}
