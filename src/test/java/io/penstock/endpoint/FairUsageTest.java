package io.penstock.endpoint;

import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Usage;
import io.penstock.event.Event;
import io.penstock.pool.Failure;
import io.penstock.queue.Order;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that fair shares count the real usage of requests, not the expected one. */
class FairUsageTest {
  private static final Refusal GONE = Refusal.of(Reason.UPSTREAM_UNREACHABLE, "it is gone");

  private final House house = new House();
  private final Endpoint endpoint = open();

  @AfterEach
  void totalsBalance() {
    House.assertBalanced(endpoint);
  }

  private Endpoint open() {
    House.Setup setup = House.none("/a").to(upstream("u", 0, 10_000));
    EndpointSpec.Scheduling fair =
        new EndpointSpec.Scheduling(Order.FAIR, 0, 64, new EndpointSpec.FairBy.Key());
    return house.open(setup, fair, setup.spec().waiting());
  }

  private Pending ask(String flow, long tokens) {
    Ask.Flow whose = new Ask.Flow(flow, 1);
    Cost cost = Cost.ofInput(tokens);
    return endpoint.submit(new Ask(null, cost, 0, Patience.DEFAULT, 0, whose));
  }

  /**
   * Returns the flow that goes first of two with waiting requests, when {@code one} arrived first.
   */
  private String first(String one, String other) {
    endpoint.pause(true);
    house.drivers.run();
    ask("new", 1); // while a flow waits that got nothing yet, no flow is lifted to its rank
    Pending ofOne = ask(one, 10);
    Pending ofOther = ask(other, 10);
    endpoint.pause(false);
    house.drivers.run();
    assertThat(List.of(ofOne, ofOther)).allMatch(House::went);
    List<Event.Released> all = house.recorded.of(Event.Released.class);
    return all.get(all.size() - 2).ticket() == ofOne.order() ? one : other;
  }

  private static List<Consumer<Settlement>> endsThatUseNearlyNothing() {
    Usage usage = new Usage(1, 0, 0);
    return List.of(
        settlement -> settlement.served(usage, 0, START),
        settlement -> settlement.cancelled(usage, 0, START),
        settlement -> settlement.abandoned(START),
        settlement -> settlement.refused(GONE, START));
  }

  @ParameterizedTest
  @MethodSource("endsThatUseNearlyNothing")
  void flowThatUsedLessThanItAskedFor_isStillAheadOfOneThatGotMore(Consumer<Settlement> end) {
    end.accept(settlement(ask("x", 100)));
    house.drivers.run();
    settlement(ask("y", 50)).permitted(START);
    assertThat(first("x", "y")).isEqualTo("x");
  }

  @Test
  void flowThatUsedAllItAskedFor_isBehindOneThatGotLess() {
    settlement(ask("x", 100)).permitted(START);
    settlement(ask("y", 50)).permitted(START);
    assertThat(first("x", "y")).isEqualTo("y");
  }

  @Test
  void requestOfTwoAttempts_countsOnce() {
    settlement(ask("y", 150)).permitted(START);
    Settlement attempt = settlement(ask("x", 100));
    Pending back = Objects.requireNonNull(attempt.again(Failure.UNSENT, false, START));
    house.drivers.run();
    assertThat(went(back)).isTrue();
    settlement(back).permitted(START);
    assertThat(first("x", "y")).isEqualTo("x");
  }
}
