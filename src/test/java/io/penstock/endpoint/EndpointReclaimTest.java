package io.penstock.endpoint;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.strict;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketRequest;
import io.penstock.model.ModelLimits;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of when dynamic endpoints are checked for reclaiming, and of what reaches them until then.
 */
class EndpointReclaimTest {
  private static final long IDLE = EndpointRegistry.IDLE_NANOS;

  private final EndpointFixture endpointFixture = new EndpointFixture();

  EndpointReclaimTest() {
    apply(dynamic("/a"), dynamic("/b"));
  }

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private static EndpointSpec dynamic(String path) {
    return DynamicTest.dynamic(none(path), 10);
  }

  private void apply(EndpointSpec... specs) {
    endpointFixture.registry.apply(Arrays.asList(specs));
    endpointFixture.drivers.run();
  }

  private Endpoint enter(String path) {
    return Objects.requireNonNull(endpointFixture.registry.enter(path));
  }

  private boolean isThere(String path) {
    return endpointFixture.registry.at(path) != null;
  }

  private long alarm() {
    return endpointFixture.drivers.nextAlarm() - START;
  }

  @Test
  void idleEndpoint_isLookedAtOnce_atTheInstantItCanGo() {
    Endpoint child = enter("/a/b");
    endpointFixture.at(3 * SECOND);
    child.leave();
    assertThat(alarm()).isEqualTo(3 * SECOND + IDLE);
    endpointFixture.at(3 * SECOND + IDLE);
    assertThat(isThere("/a/b")).isFalse();
    assertThat(endpointFixture.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void resumedWithoutHavingBeenPaused_isLookedAtForItsLastUseAlone() {
    enter("/a/b").leave();
    endpointFixture.at(5 * SECOND);
    enter("/a/b").leave();
    assertThat(alarm()).as("that of the first use").isEqualTo(IDLE);
    endpointFixture.registry.pause("/a/b", false);
    assertThat(alarm()).isEqualTo(5 * SECOND + IDLE);
    endpointFixture.at(5 * SECOND + IDLE);
    assertThat(isThere("/a/b")).isFalse();
  }

  @Test
  void resumedWhileOthersAreIdle_theyAreLookedAtAsBefore() {
    enter("/a/b").leave();
    endpointFixture.at(5 * SECOND);
    enter("/a/c").leave();
    endpointFixture.registry.pause("/a/c", false);
    assertThat(alarm()).isEqualTo(IDLE);
    endpointFixture.at(IDLE);
    assertThat(isThere("/a/b")).isFalse();
    assertThat(isThere("/a/c")).isTrue();
  }

  @Test
  void alarmThatRingsTooSoon_isSetAgain() {
    enter("/a/b").leave();
    endpointFixture.at(IDLE / 2);
    endpointFixture
        .drivers
        .driver(3)
        .ring(); // numbers 0 to 2 are the drivers of the three endpoints
    assertThat(isThere("/a/b")).isTrue();
    assertThat(alarm()).isEqualTo(IDLE);
    endpointFixture.at(IDLE);
    assertThat(isThere("/a/b")).isFalse();
  }

  @Test
  void idleEndpointRemovedWithItsAncestor_isLookedAtNoMore() {
    enter("/a/b").leave();
    endpointFixture.at(5 * SECOND);
    enter("/b/c").leave();
    apply(dynamic("/b"));
    assertThat(alarm()).isEqualTo(5 * SECOND + IDLE);
    apply(none("/b").spec());
    assertThat(endpointFixture.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void idleEndpointThatIsConfigured_isLookedAtNoMore() {
    enter("/a/b").leave();
    apply(dynamic("/a"), none("/a/b").spec());
    assertThat(endpointFixture.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void modelGetsALimit_bindsWhoWaitsAtADynamicEndpointToo() {
    apply(DynamicTest.dynamic(strict("/a", 1, 60), 10));
    Endpoint child = enter("/a/b");
    TicketRequest ticketRequest = RequestFixture.request("m", Cost.ofInput(50));
    assertThat(went(child.submit(ticketRequest))).isTrue();
    ParkedTicket waiting = child.submit(ticketRequest);
    assertThat(waits(waiting)).isTrue();
    endpointFixture.models.override("m", new ModelLimits(0, 49, 0), START);
    endpointFixture.drivers.run();
    assertThat(refusal(waiting).reason()).isEqualTo(RefusalReason.COST_EXCEEDS_CAPACITY);
  }
}
