package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pool.Failure;
import io.penstock.pool.UpstreamSpec;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of claims on quotas. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // loops ignore interrupts
class ClaimTest {
  private final House house = new House();

  @Test
  void waysThatNeverFitATicket_areNotKeptForIt() {
    Endpoint endpoint =
        house.open(
            House.none("/a")
                .maxSkips(0)
                .to(upstream("large", 0, 1_000), upstream("small", 0, 100)));
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

  /**
   * Returns a last small ticket of {@code comesBack}. Before it a ticket of {@code waits} that may
   * go to u or v has claimed u, and a ticket that came back has taken the claim over.
   */
  private Pending comesAfter(Endpoint waits, Endpoint comesBack) {
    submit(waits, 100);
    submit(waits, 30);
    Pending claims = submit(waits, 80);
    Pending passes = submit(comesBack, 60);
    assertThat(went(passes)).isTrue();
    Pending back = settlement(passes).again(Failure.BROKEN, false, house.ticker.nanos());
    house.drivers.run();
    assertThat(waits(Objects.requireNonNull(back))).isTrue();
    Pending last = submit(comesBack, 5);
    assertThat(waits(claims)).isTrue();
    return last;
  }

  private Endpoint at(String path) {
    return Objects.requireNonNull(house.registry.find(path));
  }

  @Test
  void claimTakenOver_ofTheSameEndpoint_nobodyPassesByTheOtherWay() {
    Endpoint endpoint =
        house.open(House.none("/a").maxSkips(0).to(upstream("u", 0, 100), upstream("v", 0, 100)));
    assertThat(waits(comesAfter(endpoint, endpoint))).isTrue();
  }

  @Test
  void claimTakenOver_ofAnotherEndpoint_nobodyPassesByTheOtherWay() {
    UpstreamSpec u = upstream("u", 0, 100);
    UpstreamSpec v = upstream("v", 0, 100);
    house.apply(House.none("/a").maxSkips(0).to(u, v), House.none("/b").maxSkips(0).to(u, v));
    assertThat(waits(comesAfter(at("/a"), at("/b")))).isTrue();
  }

  /** Makes endpoints /a and /b share an upstream; /b has taken 60 of its 100 tokens. */
  private void shareAnUpstream() {
    UpstreamSpec u = upstream("u", 0, 100);
    house.apply(House.none("/a").maxSkips(0).to(u), House.none("/b").maxSkips(0).to(u));
    assertThat(went(submit(at("/b"), 60))).isTrue();
  }

  @Test
  void clientOfAClaimantIsGone_claimEndsBeforeItsOwnEndpointTakesNotice() {
    shareAnUpstream();
    Pending claims = submit(at("/a"), 80);
    Pending passes = submit(at("/b"), 30);
    assertThat(waits(passes)).as("the upstream is kept for the first").isTrue();
    at("/a").cancel(claims);
    Pending last = submit(at("/b"), 5);
    assertThat(went(passes)).isTrue();
    assertThat(went(last)).isTrue();
  }

  @Test
  void clientIsGone_itsTicketClaimsNothing_beforeItsOwnEndpointTakesNotice() {
    shareAnUpstream();
    Pending gone = submit(at("/a"), 80);
    at("/a").cancel(gone);
    assertThat(went(submit(at("/b"), 30))).isTrue();
  }
}
