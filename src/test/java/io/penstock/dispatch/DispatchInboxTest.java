package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.fake.FakeDrivers;
import org.junit.jupiter.api.Test;

class DispatchInboxTest {
  private final EndpointFixture endpointFixture = new EndpointFixture();

  /** Timers count in other units than clocks, and may ring too early. */
  @Test
  void alarmRingsTooEarly_isSetForTheSameInstantAgain() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.strict("/a", 1, 1));
    submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    FakeDrivers.FakeDriver driver = endpointFixture.drivers.driver(0);
    assertThat(driver.alarm()).isEqualTo(START + SECOND);

    endpointFixture.ticker.set(START + SECOND - 1);
    driver.ring();

    assertThat(waits(second)).isTrue();
    endpointFixture.at(SECOND);
    assertThat(went(second)).isTrue();
  }
}
