package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Usage;
import io.penstock.pool.Failure;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of two endpoints that share one upstream. */
class SharedUpstreamTest {
  private final House house = new House();

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  private void open(UpstreamSpec shared, int maxSkips) {
    house.apply(
        House.none("/a").to(shared).maxSkips(maxSkips),
        House.none("/b").to(shared).maxSkips(maxSkips));
  }

  private Endpoint a() {
    return house.endpoint("/a");
  }

  private Endpoint b() {
    return house.endpoint("/b");
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
    Pending first = submit(a(), 100);
    Pending second = submit(b(), 50);
    settlement(first).served(new Usage(40, 0, 0), 0, house.ticker.nanos());
    house.drivers.run();
    assertThat(went(second)).isTrue();
  }

  @Test
  void whatAnAttemptGivesBackThatGoesElsewhere_wakesTheOther() {
    UpstreamSpec shared = upstream("u", 0, 100);
    house.apply(
        House.none("/a").to(shared, upstream("v", 0, 100_000)), House.none("/b").to(shared));
    Upstream elsewhere = Objects.requireNonNull(house.upstreams.find("v"));
    elsewhere.pool(null, START).take(Cost.ofInput(1), START, new ArrayList<>());
    Settlement first = settlement(submit(a(), 100));
    assertThat(Objects.requireNonNull(first.upstream()).spec()).isEqualTo(shared);
    Pending second = submit(b(), 50);
    assertThat(waits(second)).isTrue();
    first.again(Failure.UNSENT, true, START);
    house.drivers.run();
    assertThat(went(second)).isTrue();
  }

  @Test
  void roomThatComesWithTime_goesToBothAtTheSameInstant() {
    open(upstream("u", 2, 0), 64);
    submit(a(), 1);
    submit(b(), 1);
    Pending third = submit(a(), 1);
    Pending fourth = submit(b(), 1);
    house.at(61 * SECOND - 1);
    assertThat(waits(third)).isTrue();
    assertThat(waits(fourth)).isTrue();
    house.at(61 * SECOND);
    assertThat(went(third)).isTrue();
    assertThat(went(fourth)).isTrue();
  }

  @Test
  void oneSkippedByTheOther_claimsAfterMaxSkips() {
    open(upstream("u", 0, 100), 3);
    submit(a(), 50);
    Pending large = submit(a(), 60);
    for (int small = 0; small < 3; small++) {
      assertThat(went(submit(b(), 5))).as("small " + small).isTrue();
    }
    Pending fourth = submit(b(), 5);
    assertThat(waits(fourth)).isTrue();
    house.at(61 * SECOND);
    assertThat(went(large)).isTrue();
    house.at(62 * SECOND);
    assertThat(went(fourth)).isTrue();
  }

  @Test
  void claimerGoesAway_theOtherEndpointGoesOn() {
    open(upstream("u", 0, 100), 0);
    submit(a(), 50);
    Pending large = submit(a(), 60);
    Pending small = submit(b(), 5);
    assertThat(waits(small)).isTrue();
    a().cancel(large);
    house.drivers.run();
    assertThat(went(small)).isTrue();
  }

  @Test
  void endpointOfTheClaimerRemoved_theOtherGoesOn() {
    UpstreamSpec shared = upstream("u", 0, 100);
    open(shared, 0);
    submit(a(), 50);
    submit(a(), 60);
    Pending small = submit(b(), 5);
    assertThat(waits(small)).isTrue();
    house.apply(House.none("/b").to(shared).maxSkips(0));
    assertThat(went(small)).isTrue();
  }

  @Test
  void bothAlwaysBusy_eachGoesItsTimeAndNobodyIsSkippedTooOften() {
    open(upstream("u", 0, 100), 4);
    submit(a(), 100);
    List<Pending> all = new ArrayList<>();
    for (int ticket = 0; ticket < 40; ticket++) {
      all.add(submit(ticket % 2 == 0 ? a() : b(), ticket % 5 == 0 ? 60 : 15));
    }
    for (long minute = 1; minute <= 20; minute++) {
      house.at(minute * 61 * SECOND);
    }
    assertThat(all).allMatch(House::went);
  }
}
