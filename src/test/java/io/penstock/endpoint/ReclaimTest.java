package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.strict;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.quota.ModelLimits;
import io.penstock.refusal.Reason;
import io.penstock.time.Ticker;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of when dynamic endpoints are checked for reclaiming, and of what reaches them until then.
 */
class ReclaimTest {
  private static final long IDLE = Registry.IDLE_NANOS;

  private final House house = new House();

  ReclaimTest() {
    apply(dynamic("/a"), dynamic("/b"));
  }

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  private static EndpointSpec dynamic(String path) {
    return DynamicTest.dynamic(none(path), 10);
  }

  private void apply(EndpointSpec... specs) {
    house.registry.apply(Arrays.asList(specs));
    house.drivers.run();
  }

  private Endpoint enter(String path) {
    return Objects.requireNonNull(house.registry.enter(path));
  }

  private boolean isThere(String path) {
    return house.registry.at(path) != null;
  }

  private long alarm() {
    return house.drivers.nextAlarm() - START;
  }

  @Test
  void idleEndpoint_isLookedAtOnce_atTheInstantItCanGo() {
    Endpoint child = enter("/a/b");
    house.at(3 * SECOND);
    child.leave();
    assertThat(alarm()).isEqualTo(3 * SECOND + IDLE);
    house.at(3 * SECOND + IDLE);
    assertThat(isThere("/a/b")).isFalse();
    assertThat(house.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void resumedWithoutHavingBeenPaused_isLookedAtForItsLastUseAlone() {
    enter("/a/b").leave();
    house.at(5 * SECOND);
    enter("/a/b").leave();
    assertThat(alarm()).as("that of the first use").isEqualTo(IDLE);
    house.registry.pause("/a/b", false);
    assertThat(alarm()).isEqualTo(5 * SECOND + IDLE);
    house.at(5 * SECOND + IDLE);
    assertThat(isThere("/a/b")).isFalse();
  }

  @Test
  void resumedWhileOthersAreIdle_theyAreLookedAtAsBefore() {
    enter("/a/b").leave();
    house.at(5 * SECOND);
    enter("/a/c").leave();
    house.registry.pause("/a/c", false);
    assertThat(alarm()).isEqualTo(IDLE);
    house.at(IDLE);
    assertThat(isThere("/a/b")).isFalse();
    assertThat(isThere("/a/c")).isTrue();
  }

  @Test
  void alarmThatRingsTooSoon_isSetAgain() {
    enter("/a/b").leave();
    house.at(IDLE / 2);
    house.drivers.driver(3).ring(); // numbers 0 to 2 are the drivers of the three endpoints
    assertThat(isThere("/a/b")).isTrue();
    assertThat(alarm()).isEqualTo(IDLE);
    house.at(IDLE);
    assertThat(isThere("/a/b")).isFalse();
  }

  @Test
  void idleEndpointRemovedWithItsAncestor_isLookedAtNoMore() {
    enter("/a/b").leave();
    house.at(5 * SECOND);
    enter("/b/c").leave();
    apply(dynamic("/b"));
    assertThat(alarm()).isEqualTo(5 * SECOND + IDLE);
    apply(none("/b").spec());
    assertThat(house.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void idleEndpointThatIsConfigured_isLookedAtNoMore() {
    enter("/a/b").leave();
    apply(dynamic("/a"), none("/a/b").spec());
    assertThat(house.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void modelGetsALimit_bindsWhoWaitsAtADynamicEndpointToo() {
    apply(DynamicTest.dynamic(strict("/a", 1, 60), 10));
    Endpoint child = enter("/a/b");
    Ask ask = Ask.of("m", Cost.ofInput(50), 0, Patience.DEFAULT);
    assertThat(went(child.submit(ask))).isTrue();
    Pending waiting = child.submit(ask);
    assertThat(waits(waiting)).isTrue();
    house.models.override("m", new ModelLimits(0, 49, 0), START);
    house.drivers.run();
    assertThat(refusal(waiting).reason()).isEqualTo(Reason.COST_EXCEEDS_CAPACITY);
  }
}
