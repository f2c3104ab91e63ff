package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is kept for whom. */
class ClaimTest {
  private final House house = new House();

  @Test
  void waysThatNeverFitATicket_areNotKeptForIt() {
    Endpoint endpoint =
        house.open(
            House.none("/a")
                .maxSkips(0)
                .to(House.upstream("large", 0, 1_000), House.upstream("small", 0, 100)));
    submit(endpoint, 1_000);
    Pending first = submit(endpoint, 500);
    Pending second = submit(endpoint, 500);
    Pending little = submit(endpoint, 60);
    assertThat(waits(first)).isTrue();
    assertThat(waits(second)).isTrue();
    assertThat(went(little)).isTrue();
    house.at(62 * SECOND);
    assertThat(went(first)).isTrue();
    assertThat(went(second)).isTrue();
  }
}
