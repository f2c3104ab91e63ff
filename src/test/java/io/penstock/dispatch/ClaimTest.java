package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.UpstreamSpec;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of claims on quotas. */
// a loop ignores interrupts
@Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClaimTest {
  private final EndpointFixture endpointFixture = new EndpointFixture();

  @Test
  void waysThatNeverFitATicket_areNotKeptForIt() {
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.none("/a")
                .maxSkips(0)
                .to(upstream("large", 0, 1_000), upstream("small", 0, 100)));
    submit(endpoint, 1_000);
    ParkedTicket first = submit(endpoint, 500);
    ParkedTicket second = submit(endpoint, 500);
    ParkedTicket little = submit(endpoint, 60);
    assertThat(waits(first)).isTrue();
    assertThat(waits(second)).isTrue();
    assertThat(went(little)).isTrue();
    endpointFixture.at(62 * SECOND);
    assertThat(went(first)).isTrue();
    assertThat(went(second)).isTrue();
  }

  /**
   * Returns a last small ticket of {@code comesBack}. Before it a ticket of {@code waits} that may
   * go to u or v has claimed u, and a ticket that came back has taken the claim over.
   */
  private ParkedTicket comesAfter(Endpoint waits, Endpoint comesBack) {
    submit(waits, 100);
    submit(waits, 30);
    ParkedTicket claims = submit(waits, 80);
    ParkedTicket passes = submit(comesBack, 60);
    assertThat(went(passes)).isTrue();
    ParkedTicket back =
        settlement(passes).retry(AttemptFailure.BROKEN, false, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
    assertThat(waits(Objects.requireNonNull(back))).isTrue();
    ParkedTicket last = submit(comesBack, 5);
    assertThat(waits(claims)).isTrue();
    return last;
  }

  private Endpoint at(String path) {
    return Objects.requireNonNull(endpointFixture.registry.find(path));
  }

  @Test
  void claimTakenOver_ofTheSameEndpoint_nobodyPassesByTheOtherWay() {
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.none("/a")
                .maxSkips(0)
                .to(upstream("u", 0, 100), upstream("v", 0, 100)));
    assertThat(waits(comesAfter(endpoint, endpoint))).isTrue();
  }

  @Test
  void claimTakenOver_ofAnotherEndpoint_nobodyPassesByTheOtherWay() {
    UpstreamSpec u = upstream("u", 0, 100);
    UpstreamSpec v = upstream("v", 0, 100);
    endpointFixture.apply(
        EndpointFixture.none("/a").maxSkips(0).to(u, v),
        EndpointFixture.none("/b").maxSkips(0).to(u, v));
    assertThat(waits(comesAfter(at("/a"), at("/b")))).isTrue();
  }

  /** Makes endpoints /a and /b share an upstream; /b has taken 60 of its 100 tokens. */
  private void shareAnUpstream() {
    UpstreamSpec u = upstream("u", 0, 100);
    endpointFixture.apply(
        EndpointFixture.none("/a").maxSkips(0).to(u), EndpointFixture.none("/b").maxSkips(0).to(u));
    assertThat(went(submit(at("/b"), 60))).isTrue();
  }

  @Test
  void clientOfAClaimantIsGone_claimEndsBeforeItsOwnEndpointTakesNotice() {
    shareAnUpstream();
    ParkedTicket claims = submit(at("/a"), 80);
    ParkedTicket passes = submit(at("/b"), 30);
    assertThat(waits(passes)).as("the upstream is kept for the first").isTrue();
    claims.cancel();
    ParkedTicket last = submit(at("/b"), 5);
    assertThat(went(passes)).isTrue();
    assertThat(went(last)).isTrue();
  }

  @Test
  void clientIsGone_itsTicketClaimsNothing_beforeItsOwnEndpointTakesNotice() {
    shareAnUpstream();
    ParkedTicket released = submit(at("/a"), 80);
    released.cancel();
    assertThat(went(submit(at("/b"), 30))).isTrue();
  }
}
