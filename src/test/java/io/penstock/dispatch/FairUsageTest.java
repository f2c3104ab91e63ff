package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.event.Event;
import io.penstock.pool.AttemptFailure;
import io.penstock.queue.QueueOrder;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that fair shares count the real usage of requests, not the expected one. */
class FairUsageTest {
  private static final Refusal GONE = Refusal.of(RefusalReason.UPSTREAM_UNREACHABLE, "it is gone");

  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final Endpoint endpoint = open();

  @AfterEach
  void totalsBalance() {
    EndpointFixture.assertBalanced(endpoint);
  }

  private Endpoint open() {
    EndpointSetup setup = EndpointFixture.none("/a").to(upstream("u", 0, 10_000));
    EndpointSpec.Scheduling fair =
        new EndpointSpec.Scheduling(QueueOrder.FAIR, 0, 64, new EndpointSpec.FairBy.Key());
    return endpointFixture.open(setup, fair, setup.spec().waiting());
  }

  private ParkedTicket ask(String flow, long tokens) {
    TicketRequest.Flow whose = new TicketRequest.Flow(flow, 1);
    Cost cost = Cost.ofInput(tokens);
    return endpoint.submit(RequestFixture.of(null, cost).flow(whose).made());
  }

  /**
   * Returns the flow that goes first of two with waiting requests, when {@code one} arrived first.
   */
  private String first(String one, String other) {
    endpoint.pause(true);
    endpointFixture.drivers.run();
    ask("new", 1); // while a flow waits that got nothing yet, no flow is lifted to its rank
    ParkedTicket ofOne = ask(one, 10);
    ParkedTicket ofOther = ask(other, 10);
    endpoint.pause(false);
    endpointFixture.drivers.run();
    assertThat(List.of(ofOne, ofOther)).allMatch(EndpointFixture::went);
    List<Event.Released> all = endpointFixture.recorded.of(Event.Released.class);
    return all.get(all.size() - 2).ticket() == ofOne.order() ? one : other;
  }

  private static List<Consumer<TicketSettlement>> endsThatUseNearlyNothing() {
    TokenUsage tokenUsage = new TokenUsage(1, 0, 0);
    return List.of(
        ticketSettlement -> ticketSettlement.served(tokenUsage, 0, START),
        ticketSettlement -> ticketSettlement.cancelled(CallEnd.answered(tokenUsage, 0), START),
        ticketSettlement -> ticketSettlement.abandoned(START),
        ticketSettlement -> ticketSettlement.refused(GONE, START));
  }

  @ParameterizedTest
  @MethodSource("endsThatUseNearlyNothing")
  void flowThatUsedLessThanItAskedFor_isStillAheadOfOneThatGotMore(Consumer<TicketSettlement> end) {
    end.accept(settlement(ask("x", 100)));
    endpointFixture.drivers.run();
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
    TicketSettlement attempt = settlement(ask("x", 100));
    ParkedTicket back = Objects.requireNonNull(attempt.retry(AttemptFailure.UNSENT, false, START));
    endpointFixture.drivers.run();
    assertThat(went(back)).isTrue();
    settlement(back).permitted(START);
    assertThat(first("x", "y")).isEqualTo("x");
  }
}
