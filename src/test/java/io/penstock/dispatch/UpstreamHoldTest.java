package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.pool.AttemptAdditions;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.AttemptHistory;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests requests of one tenant that an upstream holds while those of others go. */
class UpstreamHoldTest {
  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private Endpoint open(UpstreamSpec... upstreams) {
    Endpoint endpoint = endpointFixture.open(none("/").to(upstreams));
    ask(endpoint, "alice");
    ask(endpoint, "mallory");
    return endpoint;
  }

  private ParkedTicket ask(Endpoint endpoint, String tenant) {
    return endpoint.submit(RequestFixture.of("m", Cost.ofInput(1)).tenant(tenant).made());
  }

  private Upstream find(String id) {
    return Objects.requireNonNull(endpointFixture.upstreams.find(id));
  }

  private void refused(String tenant, String upstream, long seconds) {
    find(upstream)
        .judge(
            new AttemptHistory("m", 1, 0, true, AttemptAdditions.NONE, tenant, false, false, false),
            new ProviderLesson(429, List.of(), seconds * SECOND, ProviderLesson.ErrorCause.RATE),
            endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
  }

  private static String goesTo(ParkedTicket parkedTicket) {
    return Objects.requireNonNull(settlement(parkedTicket).upstream()).spec().id();
  }

  @Test
  void tenantIsHeld_othersGoAndItsRequestsGoAtTheEnd() {
    Endpoint endpoint = open(upstream("u", 100, 0));
    refused("mallory", "u", 7);
    ParkedTicket held = ask(endpoint, "mallory");
    ParkedTicket second = ask(endpoint, "mallory");
    assertThat(waits(held)).isTrue();
    assertThat(went(ask(endpoint, "alice"))).isTrue();
    endpointFixture.at(7 * SECOND);
    assertThat(went(held)).isTrue();
    assertThat(went(second)).isTrue();
  }

  @Test
  void anotherUpstreamServesTheModel_theTenantGoesThere() {
    Endpoint endpoint = open(upstream("u", 100, 0), upstream("v", 100, 0));
    refused("mallory", "u", 60);
    for (int each = 0; each < 20; each++) {
      assertThat(goesTo(ask(endpoint, "mallory"))).isEqualTo("v");
    }
  }

  @Test
  void heldAtBoth_goesToTheOneThatOpensFirst() {
    Endpoint endpoint = open(upstream("u", 100, 0), upstream("v", 100, 0));
    refused("mallory", "u", 60);
    refused("mallory", "v", 30);
    ParkedTicket held = ask(endpoint, "mallory");
    assertThat(waits(held)).isTrue();
    endpointFixture.at(30 * SECOND);
    assertThat(goesTo(held)).isEqualTo("v");
  }

  @Test
  void refusedRequestComesBack_itWaitsWithWhatItPaidFor() {
    Endpoint endpoint = open(upstream("u", 100, 0));
    ParkedTicket first = ask(endpoint, "mallory");
    refused("mallory", "u", 7);
    ParkedTicket back =
        Objects.requireNonNull(
            settlement(first)
                .retry(AttemptFailure.REJECTED, false, endpointFixture.ticker.nanos()));
    endpointFixture.drivers.run();
    assertThat(waits(back)).isTrue();
    assertThat(went(ask(endpoint, "alice"))).isTrue();
    endpointFixture.at(7 * SECOND);
    assertThat(went(back)).isTrue();
  }

  @Test
  void heldAgainAfterwards_waitsAgain() {
    Endpoint endpoint = open(upstream("u", 100, 0));
    refused("mallory", "u", 7);
    endpointFixture.at(7 * SECOND);
    assertThat(went(ask(endpoint, "mallory"))).isTrue();
    refused("mallory", "u", 7);
    ParkedTicket held = ask(endpoint, "mallory");
    assertThat(waits(held)).isTrue();
    endpointFixture.at(14 * SECOND);
    assertThat(went(held)).isTrue();
  }
}
