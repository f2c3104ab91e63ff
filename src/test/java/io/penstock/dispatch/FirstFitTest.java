package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.waits;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSpec.Fallback;
import io.penstock.endpoint.EndpointSpec.UpstreamOrder;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that the first upstream of the list which is healthy and has room is used. */
class FirstFitTest {
  private static final Refusal GONE = Refusal.of(RefusalReason.BAD_REQUEST, "not sent");

  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private static UpstreamSpec tokens(String id, long tpm) {
    return UpstreamSetup.of(id).limits(0, tpm, 0, 0).spec();
  }

  private Endpoint open(UpstreamSpec... upstreams) {
    return endpointFixture.open(
        EndpointFixture.none("/a").order(UpstreamOrder.FIRST_FIT).to(upstreams));
  }

  private static ParkedTicket ask(Endpoint endpoint, long tokens) {
    return ask(endpoint, null, tokens);
  }

  private static ParkedTicket ask(Endpoint endpoint, @Nullable String model, long tokens) {
    return endpoint.submit(RequestFixture.of(model, Cost.ofInput(tokens)).made());
  }

  private static String goesTo(ParkedTicket ticket) {
    return Objects.requireNonNull(settlement(ticket).upstream()).spec().id();
  }

  private Upstream upstreamOf(String id) {
    return Objects.requireNonNull(endpointFixture.upstreams.find(id));
  }

  @Test
  void firstHasRoom_takesAllRequests_howeverFullItIs() {
    Endpoint endpoint = open(tokens("first", 100), tokens("second", 1_000_000));
    for (int each = 0; each < 10; each++) {
      assertThat(goesTo(ask(endpoint, 10))).isEqualTo("first");
    }
    assertThat(goesTo(ask(endpoint, 10))).isEqualTo("second");
    endpointFixture.at(62 * SECOND);
    assertThat(goesTo(ask(endpoint, 10))).isEqualTo("first");
  }

  @Test
  void requestDoesNotFitIntoTheFirst_goesOn_andASmallerOneGoesToTheFirst() {
    Endpoint endpoint = open(tokens("first", 100), tokens("second", 1_000));
    assertThat(goesTo(ask(endpoint, 60))).isEqualTo("first");
    assertThat(goesTo(ask(endpoint, 60))).isEqualTo("second");
    assertThat(goesTo(ask(endpoint, 40))).isEqualTo("first");
    assertThat(goesTo(ask(endpoint, 500))).as("it never fits into the first").isEqualTo("second");
  }

  @Test
  void threeUpstreams_areUsedInTheirOrder_notByWeight() {
    UpstreamSpec heavy = UpstreamSetup.of("third").weight(1_000).spec();
    Endpoint endpoint = open(tokens("first", 10), tokens("second", 10), heavy);
    assertThat(goesTo(ask(endpoint, 10))).isEqualTo("first");
    assertThat(goesTo(ask(endpoint, 10))).isEqualTo("second");
    assertThat(goesTo(ask(endpoint, 10))).isEqualTo("third");
  }

  @Test
  void firstIsUnhealthyOrPaused_theNextIsUsed_untilItIsBack() {
    Endpoint endpoint = open(tokens("first", 1_000), tokens("second", 1_000));
    upstreamOf("first").health().tryFrom(START + 3 * SECOND, SECOND);
    assertThat(goesTo(ask(endpoint, 1))).isEqualTo("second");
    upstreamOf("first").health().open();
    assertThat(goesTo(ask(endpoint, 1))).isEqualTo("first");
    upstreamOf("first")
        .judge(
            UpstreamFixture.attempt(null, 1, 0),
            new ProviderLesson(429, List.of(), SECOND, ProviderLesson.ErrorCause.RATE),
            START);
    assertThat(goesTo(ask(endpoint, 1))).isEqualTo("second");
    endpointFixture.at(SECOND);
    assertThat(goesTo(ask(endpoint, 1))).isEqualTo("first");
  }

  @Test
  void allAreFull_waitsForWhicheverHasRoomFirst() {
    Endpoint endpoint = open(tokens("first", 100), tokens("second", 100));
    ParkedTicket first = ask(endpoint, 100);
    ParkedTicket second = ask(endpoint, 100);
    ParkedTicket waiting = ask(endpoint, 100);
    assertThat(waits(waiting)).isTrue();
    settlement(second).refused(GONE, START);
    endpointFixture.drivers.run();
    assertThat(goesTo(waiting)).isEqualTo("second");
    settlement(first).refused(GONE, START);
    assertThat(goesTo(ask(endpoint, 100))).isEqualTo("first");
  }

  @Test
  void fallbackModels_comeAfterAllUpstreamsOfTheOwnModel() {
    UpstreamSpec small =
        UpstreamSetup.of("small").models(Map.of("small", "s")).limits(0, 1_000, 0, 0).spec();
    UpstreamSpec large =
        UpstreamSetup.of("large").models(Map.of("large", "l")).limits(0, 100, 0, 0).spec();
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.none("/a")
                .order(UpstreamOrder.FIRST_FIT)
                .fallbacks(Map.of("large", new Fallback(List.of("small"), 0)))
                .to(small, large));
    assertThat(goesTo(ask(endpoint, "large", 60))).isEqualTo("large");
    assertThat(goesTo(ask(endpoint, "large", 60))).isEqualTo("small");
    assertThat(goesTo(ask(endpoint, "large", 40))).isEqualTo("large");
  }

  @Test
  void shadowMode_usesTheFirstThatIsHealthy() {
    Endpoint endpoint =
        endpointFixture.openShadow(
            EndpointFixture.none("/a")
                .order(UpstreamOrder.FIRST_FIT)
                .to(tokens("first", 100), tokens("second", 1_000)));
    assertThat(goesTo(ask(endpoint, 90))).isEqualTo("first");
    assertThat(goesTo(ask(endpoint, 1))).isEqualTo("first");
    upstreamOf("first").health().tryFrom(START + 3 * SECOND, SECOND);
    assertThat(goesTo(ask(endpoint, 1))).isEqualTo("second");
  }

  @Test
  void attemptFails_theOtherIsTried() {
    Endpoint endpoint = open(tokens("first", 100), tokens("second", 100));
    ParkedTicket again = settlement(ask(endpoint, 10)).retry(AttemptFailure.UNSENT, true, START);
    endpointFixture.drivers.run();
    assertThat(goesTo(Objects.requireNonNull(again))).isEqualTo("second");
  }
}
