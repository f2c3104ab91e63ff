package io.penstock.endpoint;

import static io.penstock.endpoint.House.OPEN;
import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.queue.Order;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that a quota delayed by its pace is kept for the ticket next in turn. */
class PaceTest {

  private final House house = new House();

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  private static Pending ranked(Endpoint endpoint, long tokens, int priority) {
    Cost cost = Cost.ofInput(tokens);
    Ask.Flow flow = Ask.Flow.ANONYMOUS;
    return endpoint.submit(new Ask(null, cost, 0, Patience.DEFAULT, priority, flow));
  }

  /** Opens an endpoint with an upstream of 120 tokens a minute, 60 of them at once. */
  private Endpoint openPaced(int maxSkips) {
    Scheduling priority = new Scheduling(Order.PRIORITY, 0, maxSkips, new FairBy.Key());
    return house.open(none("/a").to(World.upstream("u", 120, 30)), priority, OPEN);
  }

  private static String goesTo(Pending pending) {
    return Objects.requireNonNull(settlement(pending).upstream()).spec().id();
  }

  @Test
  void waitsForThePaceHere_anotherGoesThereAtOnce() {
    Endpoint endpoint =
        house.open(none("/a").to(World.upstream("u", 120, 30), World.upstream("v", 100, 60)));
    Ask.Kept kept = new Ask.Kept(null, "v");
    Ask.Flow flow = Ask.Flow.ANONYMOUS;
    endpoint.submit(new Ask(null, Cost.ofInput(90), 0, Patience.DEFAULT, 0, flow, kept));
    assertThat(goesTo(submit(endpoint, 60))).isEqualTo("u");
    endpoint.pause(true);
    house.drivers.run();
    Pending large = submit(endpoint, 50);
    Pending small = submit(endpoint, 5);
    house.at(10 * SECOND); // the pace of u would now let the small one pass, but not the large one
    endpoint.pause(false);
    house.drivers.run();
    assertThat(goesTo(small)).isEqualTo("v");
    assertThat(waits(large)).isTrue();
    house.at(26 * SECOND);
    assertThat(went(large)).isTrue();
  }

  @Test
  void oneThatComesFirstArrives_thePaceIsKeptForIt() {
    Endpoint endpoint = openPaced(64);
    ranked(endpoint, 60, 0);
    Pending held = ranked(endpoint, 30, 1);
    Pending urgent = ranked(endpoint, 30, 9);
    house.at(16 * SECOND);
    assertThat(went(urgent)).isTrue();
    assertThat(waits(held)).isTrue();
    house.at(31 * SECOND);
    assertThat(went(held)).isTrue();
  }

  @Test
  void oneThatComesLastArrives_overtakesNobodyThatThePaceHoldsBack() {
    Endpoint endpoint = openPaced(64);
    ranked(endpoint, 60, 0);
    Pending held = ranked(endpoint, 30, 9);
    Pending small = ranked(endpoint, 5, 1);
    house.at(14 * SECOND);
    assertThat(waits(small)).isTrue();
    house.at(16 * SECOND);
    assertThat(went(held)).isTrue();
  }

  @Test
  void keptForOneThatWasSkippedTooOften_isNotForOneThatComesFirst() {
    Endpoint endpoint = openPaced(0);
    ranked(endpoint, 60, 0);
    Pending paced = ranked(endpoint, 30, 5);
    ranked(endpoint, 100, 1); // so that a ticket always waits in their lane
    house.at(16 * SECOND);
    assertThat(went(paced)).isTrue();
    Pending skipped = ranked(endpoint, 40, 5);
    house.at(20 * SECOND);
    assertThat(waits(ranked(endpoint, 5, 1))).isTrue();
    assertThat(waits(skipped)).isTrue();
    assertThat(waits(ranked(endpoint, 5, 9))).isTrue();
    house.at(61 * SECOND);
    assertThat(went(skipped)).isTrue();
  }
}
