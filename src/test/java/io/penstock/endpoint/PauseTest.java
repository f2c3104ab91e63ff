package io.penstock.endpoint;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.assertBalanced;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.strict;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.QueuePlace;
import io.penstock.dispatch.WaitForecast;
import io.penstock.explain.BindingLimit;
import io.penstock.explain.BindingLimit.Cause;
import io.penstock.explain.PastTicket;
import io.penstock.explain.TicketRecord;
import io.penstock.explain.WaitingTicket;
import io.penstock.pool.AttemptFailure;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Tests of stopping and restarting releases by an operator. */
class PauseTest {
  private final EndpointFixture endpointFixture = new EndpointFixture();

  private void pause(String path, boolean stop) {
    assertThat(endpointFixture.registry.pause(path, stop)).isNotNull();
    endpointFixture.drivers.run();
  }

  private TicketRecord known(ParkedTicket parkedTicket) {
    AtomicReference<Optional<TicketRecord>> told = new AtomicReference<>();
    endpointFixture.registry.tickets().find(String.valueOf(parkedTicket.order()), told::set);
    endpointFixture.drivers.run();
    return told.get().orElseThrow();
  }

  @Test
  void pausedEndpoint_parksWhoCouldGoAtOnce_untilItIsResumed() {
    Endpoint endpoint = endpointFixture.open(none("/a"));
    pause("/a", true);
    ParkedTicket parkedTicket = submit(endpoint, 1);
    assertThat(waits(parkedTicket)).isTrue();
    assertThat(endpoint.paused()).isTrue();
    WaitingTicket waitingTicket = (WaitingTicket) known(parkedTicket);
    assertThat(waitingTicket.explanation().binding())
        .isEqualTo(BindingLimit.of(Cause.ENDPOINT_PAUSED, Ticker.NEVER));
    assertThat(waitingTicket.place())
        .isEqualTo(new QueuePlace(parkedTicket, 1, WaitForecast.UNKNOWN));
    pause("/a", false);
    assertThat(went(parkedTicket)).isTrue();
    assertThat(endpoint.paused()).isFalse();
  }

  @Test
  void deadlinesHold_andTheQueueFills_whileItIsPaused() {
    Endpoint endpoint = endpointFixture.open(none("/a").bounds(1, 100, 100).maxWait(5 * SECOND));
    pause("/a", true);
    ParkedTicket expires = submit(endpoint, 1);
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.QUEUE_FULL);
    endpointFixture.at(5 * SECOND);
    assertThat(refusal(expires).reason()).isEqualTo(RefusalReason.QUEUE_TIMEOUT);
    assertThat(
            Objects.requireNonNull(((PastTicket) known(expires)).explanation().binding()).cause())
        .isEqualTo(Cause.ENDPOINT_PAUSED);
    assertBalanced(endpoint);
  }

  @Test
  void oneThatWaitedForTheEndOfAPause_isRememberedWithIt() {
    Endpoint endpoint = endpointFixture.open(none("/a"));
    pause("/a", true);
    ParkedTicket parkedTicket = submit(endpoint, 1);
    endpointFixture.at(3 * SECOND);
    pause("/a", false);
    assertThat(((PastTicket) known(parkedTicket)).explanation().binding())
        .isEqualTo(BindingLimit.of(Cause.ENDPOINT_PAUSED, START + 3 * SECOND));
  }

  @Test
  void pause_survivesAnotherConfiguration_andItsEndLetsGoAsThatSays() {
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 10));
    pause("/a", true);
    ParkedTicket first = submit(endpoint, 1);
    endpointFixture.apply(strict("/a", 1, 1));
    assertThat(endpoint.paused()).isTrue();
    endpointFixture.at(20 * SECOND);
    ParkedTicket second = submit(endpoint, 1);
    assertThat(waits(first) && waits(second)).isTrue();
    pause("/a", false);
    assertThat(went(first)).isTrue();
    assertThat(waits(second)).isTrue();
    endpointFixture.at(21 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void oneThatComesBack_waitsWhileItIsPaused() {
    Endpoint endpoint = endpointFixture.open(none("/a").to(EndpointFixture.upstream("u", 0, 0)));
    ParkedTicket first = submit(endpoint, 1);
    pause("/a", true);
    ParkedTicket again =
        Objects.requireNonNull(
            settlement(first).retry(AttemptFailure.UNSENT, false, endpointFixture.ticker.nanos()));
    assertThat(waits(again)).isTrue();
    pause("/a", false);
    assertThat(went(again)).isTrue();
  }

  @Test
  void pausedAndResumedBeforeTheQueueHeardOfIt_theLastCounts() {
    Endpoint endpoint = endpointFixture.open(none("/a"));
    endpointFixture.registry.pause("/a", true);
    endpointFixture.registry.pause("/a", false);
    endpointFixture.drivers.run();
    assertThat(went(submit(endpoint, 1))).isTrue();
  }

  @Test
  void pathThatHasNoEndpointOfItsOwn_isNotPaused() {
    Endpoint endpoint = endpointFixture.open(none("/a"));
    assertThat(endpointFixture.registry.pause("/a/b", true)).isNull();
    assertThat(endpointFixture.registry.at("/a/b")).isNull();
    assertThat(endpointFixture.registry.at("/a")).isSameAs(endpoint);
    assertThat(endpoint.paused()).isFalse();
  }

  /** Creates a dynamic endpoint below {@code /a} by a request, which leaves it. */
  private void visited(String path) {
    endpointFixture.registry.apply(List.of(DynamicTest.dynamic(none("/a"), 1)));
    Objects.requireNonNull(endpointFixture.registry.enter(path)).leave();
  }

  private boolean isThere(String path) {
    return endpointFixture.registry.at(path) != null;
  }

  @Test
  void dynamicEndpoint_pausedForAWhile_isReclaimedAfterTheUsualTime() {
    visited("/a/b");
    pause("/a/b", true);
    endpointFixture.at(EndpointRegistry.IDLE_NANOS / 2);
    pause("/a/b", false);
    endpointFixture.at(EndpointRegistry.IDLE_NANOS - 1);
    assertThat(isThere("/a/b")).isTrue();
    endpointFixture.at(EndpointRegistry.IDLE_NANOS);
    assertThat(isThere("/a/b")).isFalse();
  }

  @Test
  void dynamicEndpoint_pausedForLong_isReclaimedWhenItIsResumed() {
    visited("/a/b");
    pause("/a/b", true);
    endpointFixture.at(3 * EndpointRegistry.IDLE_NANOS / 2);
    assertThat(isThere("/a/b")).isTrue();
    assertThat(endpointFixture.drivers.nextAlarm())
        .as("nothing to look at")
        .isEqualTo(Ticker.NEVER);
    pause("/a/b", false);
    endpointFixture.at(3 * EndpointRegistry.IDLE_NANOS / 2);
    assertThat(isThere("/a/b")).isFalse();
  }
}
