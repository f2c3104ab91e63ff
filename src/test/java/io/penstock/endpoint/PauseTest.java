package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.assertBalanced;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.strict;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.endpoint.Binding.What;
import io.penstock.pool.Failure;
import io.penstock.refusal.Reason;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Tests of stopping and restarting releases by an operator. */
class PauseTest {
  private final House house = new House();

  private void pause(String path, boolean stop) {
    assertThat(house.registry.pause(path, stop)).isNotNull();
    house.drivers.run();
  }

  private Known known(Pending pending) {
    AtomicReference<Optional<Known>> told = new AtomicReference<>();
    house.registry.tickets().find(String.valueOf(pending.order()), told::set);
    house.drivers.run();
    return told.get().orElseThrow();
  }

  @Test
  void pausedEndpoint_parksWhoCouldGoAtOnce_untilItIsResumed() {
    Endpoint endpoint = house.open(none("/a"));
    pause("/a", true);
    Pending pending = submit(endpoint, 1);
    assertThat(waits(pending)).isTrue();
    assertThat(endpoint.paused()).isTrue();
    Look look = (Look) known(pending);
    assertThat(look.explanation().binds())
        .isEqualTo(Binding.of(What.ENDPOINT_PAUSED, Ticker.NEVER));
    assertThat(look.place()).isEqualTo(new Place(pending, 1, Ticker.NEVER));
    pause("/a", false);
    assertThat(went(pending)).isTrue();
    assertThat(endpoint.paused()).isFalse();
  }

  @Test
  void deadlinesHold_andTheQueueFills_whileItIsPaused() {
    Endpoint endpoint = house.open(none("/a").bounds(1, 100, 100).maxWait(5 * SECOND));
    pause("/a", true);
    Pending expires = submit(endpoint, 1);
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(Reason.QUEUE_FULL);
    house.at(5 * SECOND);
    assertThat(refusal(expires).reason()).isEqualTo(Reason.QUEUE_TIMEOUT);
    assertThat(Objects.requireNonNull(((Past) known(expires)).explanation().binds()).what())
        .isEqualTo(What.ENDPOINT_PAUSED);
    assertBalanced(endpoint);
  }

  @Test
  void oneThatWaitedForTheEndOfAPause_isRememberedWithIt() {
    Endpoint endpoint = house.open(none("/a"));
    pause("/a", true);
    Pending pending = submit(endpoint, 1);
    house.at(3 * SECOND);
    pause("/a", false);
    assertThat(((Past) known(pending)).explanation().binds())
        .isEqualTo(Binding.of(What.ENDPOINT_PAUSED, START + 3 * SECOND));
  }

  @Test
  void pause_survivesAnotherConfiguration_andItsEndLetsGoAsThatSays() {
    Endpoint endpoint = house.open(strict("/a", 1, 10));
    pause("/a", true);
    Pending first = submit(endpoint, 1);
    house.apply(strict("/a", 1, 1));
    assertThat(endpoint.paused()).isTrue();
    house.at(20 * SECOND);
    Pending second = submit(endpoint, 1);
    assertThat(waits(first) && waits(second)).isTrue();
    pause("/a", false);
    assertThat(went(first)).isTrue();
    assertThat(waits(second)).isTrue();
    house.at(21 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void oneThatComesBack_waitsWhileItIsPaused() {
    Endpoint endpoint = house.open(none("/a").to(House.upstream("u", 0, 0)));
    Pending first = submit(endpoint, 1);
    pause("/a", true);
    Pending again =
        Objects.requireNonNull(
            settlement(first).again(Failure.UNSENT, false, house.ticker.nanos()));
    assertThat(waits(again)).isTrue();
    pause("/a", false);
    assertThat(went(again)).isTrue();
  }

  @Test
  void pausedAndResumedBeforeTheQueueHeardOfIt_theLastCounts() {
    Endpoint endpoint = house.open(none("/a"));
    house.registry.pause("/a", true);
    house.registry.pause("/a", false);
    house.drivers.run();
    assertThat(went(submit(endpoint, 1))).isTrue();
  }

  @Test
  void pathThatHasNoEndpointOfItsOwn_isNotPaused() {
    Endpoint endpoint = house.open(none("/a"));
    assertThat(house.registry.pause("/a/b", true)).isNull();
    assertThat(house.registry.at("/a/b")).isNull();
    assertThat(house.registry.at("/a")).isSameAs(endpoint);
    assertThat(endpoint.paused()).isFalse();
  }

  /** Creates a dynamic endpoint below {@code /a} by a request, which leaves it. */
  private void visited(String path) {
    house.registry.apply(List.of(DynamicTest.dynamic(none("/a"), 1)));
    Objects.requireNonNull(house.registry.enter(path)).leave();
  }

  private boolean isThere(String path) {
    return house.registry.at(path) != null;
  }

  @Test
  void dynamicEndpoint_pausedForAWhile_isReclaimedAfterTheUsualTime() {
    visited("/a/b");
    pause("/a/b", true);
    house.at(Registry.IDLE_NANOS / 2);
    pause("/a/b", false);
    house.at(Registry.IDLE_NANOS - 1);
    assertThat(isThere("/a/b")).isTrue();
    house.at(Registry.IDLE_NANOS);
    assertThat(isThere("/a/b")).isFalse();
  }

  @Test
  void dynamicEndpoint_pausedForLong_isReclaimedWhenItIsResumed() {
    visited("/a/b");
    pause("/a/b", true);
    house.at(3 * Registry.IDLE_NANOS / 2);
    assertThat(isThere("/a/b")).isTrue();
    assertThat(house.drivers.nextAlarm()).as("nothing to look at").isEqualTo(Ticker.NEVER);
    pause("/a/b", false);
    house.at(3 * Registry.IDLE_NANOS / 2);
    assertThat(isThere("/a/b")).isFalse();
  }
}
