package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSetup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tests promises in queues of requests of different sizes, where a small one may go before a larger
 * one that does not fit yet. The simulator compares many more of them with what happens.
 */
class MixedQueuePromiseTest {
  private static final long TPM = 1_000;

  private final EndpointFixture endpointFixture = new EndpointFixture();

  private Endpoint open(EndpointSetup setup) {
    return endpointFixture.open(setup.to(upstream("u", 0, TPM)));
  }

  private static ParkedTicket submit(Endpoint endpoint, long tokens, long timeoutNanos) {
    WaitPatience patience =
        timeoutNanos == 0 ? WaitPatience.DEFAULT : new WaitPatience(timeoutNanos, Long.MAX_VALUE);
    return endpoint.submit(RequestFixture.of(null, Cost.ofInput(tokens)).patience(patience).made());
  }

  private static ParkedTicket submit(Endpoint endpoint, long tokens) {
    return submit(endpoint, tokens, 0);
  }

  private Map<ParkedTicket, WaitForecast> places(Endpoint endpoint) {
    Map<ParkedTicket, WaitForecast> places = new LinkedHashMap<>();
    endpointFixture
        .registry
        .tickets()
        .list(
            endpoint,
            1_000,
            snapshot ->
                snapshot.places().forEach(place -> places.put(place.ticket(), place.expected())));
    endpointFixture.drivers.run();
    return places;
  }

  private static WaitForecast seconds(long seconds) {
    return new WaitForecast(seconds * SECOND, false);
  }

  @Test
  void smallRequestBehindLargeOnes_isPromisedTheTimeAtWhichItPassesThem() {
    Endpoint endpoint = open(none("/a"));
    submit(endpoint, 600);
    endpointFixture.at(20 * SECOND);
    submit(endpoint, 400); // leaves the window 20 s after the first
    ParkedTicket large = submit(endpoint, 900);
    ParkedTicket small = submit(endpoint, 300);
    // 600 are free 61 s after the start, which is enough for the small one alone
    assertThat(places(endpoint))
        .containsEntry(small, seconds(41))
        .containsEntry(large, seconds(102));
    endpointFixture.at(61 * SECOND);
    assertThat(went(small)).isTrue();
    endpointFixture.at(122 * SECOND);
    assertThat(went(large)).isTrue();
  }

  @Test
  void requestThatMayNotBeSkippedAgain_keepsSmallerOnesBehindIt() {
    Endpoint endpoint = open(none("/a").maxSkips(1));
    submit(endpoint, 600);
    endpointFixture.at(20 * SECOND);
    submit(endpoint, 400);
    ParkedTicket large = submit(endpoint, 900);
    ParkedTicket first = submit(endpoint, 300);
    ParkedTicket second = submit(endpoint, 300);
    assertThat(places(endpoint))
        .as("the first skips the large one, and the second may not")
        .containsEntry(first, seconds(41))
        .containsEntry(large, seconds(102))
        .containsEntry(second, seconds(163));
    endpointFixture.at(122 * SECOND);
    assertThat(went(large)).isTrue();
    assertThat(waits(second)).isTrue();
    endpointFixture.at(183 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void smallRequestThatPassesLargeOnesInTime_isNotRefused() {
    Endpoint endpoint = open(none("/a"));
    submit(endpoint, 900);
    endpointFixture.at(20 * SECOND);
    submit(endpoint, 100);
    ParkedTicket large = submit(endpoint, 1_000);
    ParkedTicket small = submit(endpoint, 100, 45 * SECOND);
    assertThat(waits(small)).isTrue();
    endpointFixture.at(61 * SECOND);
    assertThat(went(small)).isTrue();
    assertThat(waits(large)).isTrue();
  }

  @Test
  void smallRequestBehindManyLargeOnes_isRefusedOnlyForThoseItCannotPass() {
    Endpoint endpoint = open(none("/a").maxSkips(1_000));
    submit(endpoint, 900);
    endpointFixture.at(20 * SECOND);
    submit(endpoint, 100);
    for (int each = 0; each < 2 * DryRun.MOST_AT_ARRIVAL; each++) {
      submit(endpoint, 1_000);
    }
    ParkedTicket small = submit(endpoint, 100, 45 * SECOND);
    assertThat(waits(small)).isTrue();
    List<ParkedTicket> alike = new ArrayList<>();
    for (int each = 0; each < 12; each++) {
      alike.add(submit(endpoint, 100, 45 * SECOND));
    }
    assertThat(alike.subList(8, 12))
        .as("900 tokens are free in time, for nine of them")
        .noneMatch(EndpointFixture::waits)
        .noneMatch(EndpointFixture::went);
    endpointFixture.at(61 * SECOND);
    assertThat(went(small)).isTrue();
    assertThat(alike.subList(0, 8)).allMatch(EndpointFixture::went);
  }

  @Test
  void requestThatLeavesBeforeItsTurn_isInNobodysWay() {
    Endpoint endpoint = open(none("/a").maxWait(30 * SECOND));
    submit(endpoint, 1_000);
    ParkedTicket leaves = submit(endpoint, 500);
    endpointFixture.at(29 * SECOND);
    ParkedTicket also = submit(endpoint, 500);
    endpointFixture.at(31 * SECOND);
    ParkedTicket stays = submit(endpoint, 1_000);
    assertThat(waits(leaves)).isFalse();
    assertThat(places(endpoint))
        .as("the one that leaves is promised nothing before its end")
        .containsEntry(also, new WaitForecast(28 * SECOND + 1, true))
        .containsEntry(stays, seconds(30));
    endpointFixture.at(61 * SECOND);
    assertThat(went(stays)).isTrue();
    assertThat(endpointFixture.ticker.nanos()).isEqualTo(START + 61 * SECOND);
  }

  @Test
  void requestsOfAnotherEndpointWait_onlyThoseItCannotPassCount() {
    var shared = upstream("u", 0, TPM);
    endpointFixture.apply(none("/a").to(shared), none("/b").to(shared));
    Endpoint endpoint = endpointFixture.endpoint("/a");
    submit(endpoint, 1_000);
    submit(endpointFixture.endpoint("/b"), 10);
    submit(endpoint, 1_000);
    ParkedTicket small = submit(endpoint, 100);
    ParkedTicket large = submit(endpoint, 950);
    assertThat(places(endpoint))
        .containsEntry(small, new WaitForecast(61 * SECOND, true))
        .containsEntry(large, new WaitForecast(122 * SECOND, true));
  }
}
