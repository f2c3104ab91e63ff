package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
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
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of two endpoints that share one upstream. */
class SharedUpstreamTest {
  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private void open(UpstreamSpec shared, int maxSkips) {
    endpointFixture.apply(
        EndpointFixture.none("/a").to(shared).maxSkips(maxSkips),
        EndpointFixture.none("/b").to(shared).maxSkips(maxSkips));
  }

  private Endpoint a() {
    return endpointFixture.endpoint("/a");
  }

  private Endpoint b() {
    return endpointFixture.endpoint("/b");
  }

  @Test
  void whatOneSpends_theOtherWaitsFor() {
    open(upstream("u", 0, 100), 64);
    assertThat(went(submit(a(), 100))).isTrue();
    assertThat(waits(submit(b(), 1))).isTrue();
  }

  @Test
  void whatOneGivesBack_wakesTheOther() {
    open(upstream("u", 0, 100), 64);
    ParkedTicket first = submit(a(), 100);
    ParkedTicket second = submit(b(), 50);
    settlement(first).served(new TokenUsage(40, 0, 0), 0, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
    assertThat(went(second)).isTrue();
  }

  @Test
  void whatAnAttemptGivesBackThatGoesElsewhere_wakesTheOther() {
    UpstreamSpec shared = upstream("u", 0, 100);
    endpointFixture.apply(
        EndpointFixture.none("/a").to(shared, upstream("v", 0, 100_000)),
        EndpointFixture.none("/b").to(shared));
    Upstream elsewhere = Objects.requireNonNull(endpointFixture.upstreams.find("v"));
    elsewhere.pool(null, START).take(Cost.ofInput(1), START, new ArrayList<>());
    TicketSettlement first = settlement(submit(a(), 100));
    assertThat(Objects.requireNonNull(first.upstream()).spec()).isEqualTo(shared);
    ParkedTicket second = submit(b(), 50);
    assertThat(waits(second)).isTrue();
    first.retry(AttemptFailure.UNSENT, true, START);
    endpointFixture.drivers.run();
    assertThat(went(second)).isTrue();
  }

  @Test
  void roomThatComesWithTime_goesToBothAtTheSameInstant() {
    open(upstream("u", 2, 0), 64);
    submit(a(), 1);
    submit(b(), 1);
    ParkedTicket third = submit(a(), 1);
    ParkedTicket fourth = submit(b(), 1);
    endpointFixture.at(61 * SECOND - 1);
    assertThat(waits(third)).isTrue();
    assertThat(waits(fourth)).isTrue();
    endpointFixture.at(61 * SECOND);
    assertThat(went(third)).isTrue();
    assertThat(went(fourth)).isTrue();
  }

  @Test
  void oneSkippedByTheOther_claimsAfterMaxSkips() {
    open(upstream("u", 0, 100), 3);
    submit(a(), 50);
    ParkedTicket large = submit(a(), 60);
    for (int small = 0; small < 3; small++) {
      assertThat(went(submit(b(), 5))).as("small " + small).isTrue();
    }
    ParkedTicket fourth = submit(b(), 5);
    assertThat(waits(fourth)).isTrue();
    endpointFixture.at(61 * SECOND);
    assertThat(went(large)).isTrue();
    endpointFixture.at(62 * SECOND);
    assertThat(went(fourth)).isTrue();
  }

  @Test
  void claimerGoesAway_theOtherEndpointGoesOn() {
    open(upstream("u", 0, 100), 0);
    submit(a(), 50);
    ParkedTicket large = submit(a(), 60);
    ParkedTicket small = submit(b(), 5);
    assertThat(waits(small)).isTrue();
    large.cancel();
    endpointFixture.drivers.run();
    assertThat(went(small)).isTrue();
  }

  @Test
  void endpointOfTheClaimerRemoved_theOtherGoesOn() {
    UpstreamSpec shared = upstream("u", 0, 100);
    open(shared, 0);
    submit(a(), 50);
    submit(a(), 60);
    ParkedTicket small = submit(b(), 5);
    assertThat(waits(small)).isTrue();
    endpointFixture.apply(EndpointFixture.none("/b").to(shared).maxSkips(0));
    assertThat(went(small)).isTrue();
  }

  @Test
  void bothAlwaysBusy_eachGoesItsTimeAndNobodyIsSkippedTooOften() {
    open(upstream("u", 0, 100), 4);
    submit(a(), 100);
    List<ParkedTicket> all = new ArrayList<>();
    for (int ticket = 0; ticket < 40; ticket++) {
      all.add(submit(ticket % 2 == 0 ? a() : b(), ticket % 5 == 0 ? 60 : 15));
    }
    for (long minute = 1; minute <= 20; minute++) {
      endpointFixture.at(minute * 61 * SECOND);
    }
    assertThat(all).allMatch(EndpointFixture::went);
  }
}
