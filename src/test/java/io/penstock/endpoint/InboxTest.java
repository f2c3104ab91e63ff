package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.FakeDrivers;
import org.junit.jupiter.api.Test;

class InboxTest {
  private final House house = new House();

  /** Timers count in other units than clocks, and may ring too early. */
  @Test
  void alarmRingsTooEarly_isSetForTheSameInstantAgain() {
    Endpoint endpoint = house.open(House.strict("/a", 1, 1));
    submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    FakeDrivers.FakeDriver driver = house.drivers.driver(0);
    assertThat(driver.alarm()).isEqualTo(START + SECOND);

    house.ticker.set(START + SECOND - 1);
    driver.ring();

    assertThat(waits(second)).isTrue();
    house.at(SECOND);
    assertThat(went(second)).isTrue();
  }
}
