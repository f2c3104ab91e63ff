package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
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
import io.penstock.pool.AttemptVerdict;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.quota.ProviderStatus;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a pause whose end the provider states: it is kept, told to clients, and tried. */
class StatedPauseTest {
  private static final long WEEK = 7 * 86_400;
  private static final long TRY = 300;

  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private Endpoint open(UpstreamSpec... upstreams) {
    Endpoint endpoint = endpointFixture.open(none("/").to(upstreams));
    assertThat(went(ask(endpoint, 1))).isTrue();
    return endpoint;
  }

  private static ParkedTicket ask(Endpoint endpoint, long patienceSeconds) {
    return ask(endpoint, "alice", patienceSeconds);
  }

  private static ParkedTicket ask(Endpoint endpoint, String tenant, long patienceSeconds) {
    WaitPatience patience = new WaitPatience(WaitPatience.UNSTATED, patienceSeconds * SECOND);
    return endpoint.submit(
        RequestFixture.of("m", Cost.ofInput(1)).tenant(tenant).patience(patience).made());
  }

  private Upstream find(String id) {
    return Objects.requireNonNull(endpointFixture.upstreams.find(id));
  }

  private long now() {
    return endpointFixture.ticker.nanos();
  }

  private AttemptVerdict judge(
      String tenant, String upstream, int rejected, ProviderLesson lesson) {
    AttemptVerdict verdict =
        find(upstream)
            .judge(
                new AttemptHistory(
                    "m", rejected, 0, true, AttemptAdditions.NONE, tenant, false, false, false),
                lesson,
                now());
    endpointFixture.drivers.run();
    return verdict;
  }

  private AttemptVerdict refused(String upstream, long seconds) {
    return refused("alice", upstream, 1, seconds);
  }

  private AttemptVerdict refused(String tenant, String upstream, int rejected, long seconds) {
    long nanos = seconds < 0 ? ProviderStatus.UNSTATED : seconds * SECOND;
    return judge(
        tenant,
        upstream,
        rejected,
        new ProviderLesson(429, List.of(), nanos, ProviderLesson.ErrorCause.OTHER));
  }

  private void served(String upstream) {
    judge("alice", upstream, 0, ProviderLesson.silent(200));
  }

  private @Nullable ParkedTicket back(ParkedTicket parkedTicket) {
    ParkedTicket next = settlement(parkedTicket).retry(AttemptFailure.REJECTED, false, now());
    endpointFixture.drivers.run();
    return next;
  }

  @ParameterizedTest
  @ValueSource(longs = {20, 301, 18_000, WEEK})
  void endIsLaterThanRequestMayWait_itIsRefusedAtArrivalWithTheEnd(long seconds) {
    Endpoint endpoint = open(upstream("u", 100, 0));
    refused("u", seconds);
    ParkedTicket refused = ask(endpoint, 12);
    assertThat(refusal(refused).reason()).isEqualTo(RefusalReason.UPSTREAM_PAUSED);
    assertThat(refusal(refused).retryAfterNanos()).isEqualTo(seconds * SECOND);
  }

  @Test
  void requestThatWasRefused_comesBackAndIsToldTheEnd() {
    Endpoint endpoint = open(upstream("u", 100, 0));
    ParkedTicket first = ask(endpoint, 12);
    assertThat(refused("u", WEEK)).isEqualTo(AttemptVerdict.WAIT);
    ParkedTicket second = Objects.requireNonNull(back(first));
    assertThat(refusal(second).reason()).isEqualTo(RefusalReason.UPSTREAM_PAUSED);
    assertThat(refusal(second).retryAfterNanos()).isEqualTo(WEEK * SECOND);
  }

  @Test
  void weekIsStated_oneRequestTriesEachFiveMinutes_andOneThatIsServedEndsIt() {
    Endpoint endpoint = open(upstream("u", 100, 0));
    refused("u", WEEK);
    ParkedTicket first = ask(endpoint, 3_600);
    ParkedTicket second = ask(endpoint, 3_600);
    endpointFixture.at(TRY * SECOND - 1);
    assertThat(waits(first)).isTrue();
    endpointFixture.at(TRY * SECOND);
    assertThat(went(first)).isTrue();
    assertThat(waits(second)).isTrue();
    // the refusal of the try reaches no client, however often it was refused before
    assertThat(refused("alice", "u", 9, -1)).isEqualTo(AttemptVerdict.WAIT);
    ParkedTicket again = Objects.requireNonNull(back(first));
    assertThat(waits(again)).as("it is back at its place").isTrue();
    endpointFixture.at(2 * TRY * SECOND);
    assertThat(went(again)).isTrue();
    assertThat(waits(second)).isTrue();
    served("u");
    assertThat(went(second)).isTrue();
    assertThat(went(ask(endpoint, 1))).isTrue();
  }

  @Test
  void requestSentBefore_isServed_itEndsNoPause() {
    Endpoint endpoint = open(upstream("u", 100, 0));
    refused("u", WEEK);
    served("u");
    assertThat(refusal(ask(endpoint, 12)).reason()).isEqualTo(RefusalReason.UPSTREAM_PAUSED);
  }

  @Test
  void tryWhoseClientLeaves_isTheNextRequests() {
    Endpoint endpoint = open(upstream("u", 100, 0));
    refused("u", WEEK);
    ParkedTicket first = ask(endpoint, 3_600);
    first.cancel();
    endpointFixture.drivers.run();
    ParkedTicket second = ask(endpoint, 3_600);
    endpointFixture.at(TRY * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void anotherUpstreamServesTheModel_nobodyWaits() {
    Endpoint endpoint = open(upstream("u", 100, 0), upstream("v", 100, 0));
    refused("u", WEEK);
    for (int each = 0; each < 20; each++) {
      ParkedTicket parkedTicket = ask(endpoint, 1);
      assertThat(settlement(parkedTicket).upstream()).isEqualTo(find("v"));
    }
  }

  @Test
  void bothArePaused_theEarlierEndIsTold() {
    Endpoint endpoint = open(upstream("u", 100, 0), upstream("v", 100, 0));
    refused("u", WEEK);
    refused("v", 18_000);
    assertThat(refusal(ask(endpoint, 12)).retryAfterNanos()).isEqualTo(18_000 * SECOND);
  }

  @Test
  void onlyOneOfTwoTenantsIsRefused_theOtherGoes() {
    Endpoint endpoint = open(upstream("u", 100, 0));
    assertThat(went(ask(endpoint, "mallory", 1))).isTrue();
    assertThat(went(ask(endpoint, "alice", 1))).isTrue();
    refused("mallory", "u", 1, WEEK);
    assertThat(refusal(ask(endpoint, "mallory", 12)).reason())
        .isEqualTo(RefusalReason.UPSTREAM_PAUSED);
    assertThat(went(ask(endpoint, "alice", 1))).isTrue();
    ParkedTicket tries = ask(endpoint, "mallory", 3_600);
    endpointFixture.at(TRY * SECOND);
    assertThat(went(tries)).isTrue();
  }

  @Test
  void operatorRetries_everythingGoesAtOnce() {
    Endpoint endpoint = open(upstream("u", 100, 0));
    refused("u", WEEK);
    ParkedTicket first = ask(endpoint, 3_600);
    ParkedTicket second = ask(endpoint, 3_600);
    find("u").retry();
    endpointFixture.drivers.run();
    assertThat(went(first)).isTrue();
    assertThat(went(second)).isTrue();
  }

  @Test
  void reloadChangesTheLimits_thePauseEnds() {
    Endpoint endpoint = open(upstream("u", 100, 0));
    refused("u", WEEK);
    ParkedTicket first = ask(endpoint, 3_600);
    endpointFixture.upstreams.apply(List.of(upstream("u", 200, 0)), now());
    endpointFixture.apply(none("/").to(upstream("u", 200, 0)));
    endpointFixture.drivers.run();
    assertThat(went(first)).isTrue();
  }
}
