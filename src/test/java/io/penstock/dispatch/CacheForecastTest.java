package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.assertBalanced;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.pool.AttemptFailure;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that waiting requests are expected anew when it is learned what a cache has. */
class CacheForecastTest {
  private static final long TPM = 100;
  private static final long PROMPT = 40;

  private final EndpointFixture fixture = new EndpointFixture();
  private final Endpoint endpoint =
      fixture.open(none("/").to(upstream("up", 0, TPM, ChargeRule.ANTHROPIC, Map.of(), null)));

  /** How much of each prompt is expected to be read, as it is known now. */
  private long cached;

  private int asked;

  @AfterEach
  void totalsBalance() {
    assertBalanced(endpoint);
  }

  private ParkedTicket ask(long input, TicketRequest.@Nullable SharedPrefix prefix) {
    return ask(input, prefix, new TicketRequest.Origin(null, null, null));
  }

  private ParkedTicket ask(
      long input, TicketRequest.@Nullable SharedPrefix prefix, TicketRequest.Origin origin) {
    CacheForecast forecast =
        (cost, now) -> {
          asked++;
          return cost.withCached(cached);
        };
    ParkedTicket ticket =
        endpoint.submit(
            RequestFixture.of("m", new Cost(input, 0, 0).withCached(cached))
                .origin(origin)
                .sharedPrefix(prefix)
                .forecast(forecast)
                .made());
    fixture.drivers.run();
    return ticket;
  }

  private ParkedTicket ask() {
    return ask(PROMPT, null);
  }

  private void learn(ParkedTicket answered, long nowCached, boolean changed) {
    cached = nowCached;
    settlement(answered).cacheLearned(changed);
    fixture.drivers.run();
  }

  @Test
  void cacheHasTheirPrompt_waitingRequestsGoIntoTheRoomThatTheyNeed() {
    ParkedTicket first = ask();
    ParkedTicket second = ask();
    List<ParkedTicket> waiting = new ArrayList<>(List.of(ask(), ask(), ask()));
    assertThat(waiting).allMatch(each -> waits(each));
    learn(first, 39, true);
    assertThat(went(waiting.getFirst())).isTrue();
    assertThat(settlement(waiting.getFirst()).reliesOnCache()).isTrue();
    assertThat(waiting.getLast().cost().cachedTokens()).isEqualTo(39);
    settlement(second).inputStated(new TokenUsage(40, 0, 0), fixture.ticker.nanos());
    settlement(waiting.getFirst()).inputStated(new TokenUsage(40, 39, 0), fixture.ticker.nanos());
    fixture.drivers.run();
    assertThat(went(waiting.get(1))).isTrue();
  }

  @Test
  void cacheHasNothingAnyMore_waitingRequestsAreChargedWhole() {
    cached = 30;
    ParkedTicket first = ask(100, null);
    ParkedTicket waiting = ask();
    assertThat(waits(waiting)).isTrue();
    assertThat(waiting.cost().uncachedTokens()).isEqualTo(10);
    learn(first, 0, true);
    assertThat(waits(waiting)).isTrue();
    assertThat(waiting.cost().uncachedTokens()).isEqualTo(40);
  }

  @Test
  void answerToOneKey_makesNobodyLookAtRequestsOfOthers() {
    ParkedTicket first = ask(90, null, new TicketRequest.Origin(null, "one", null));
    ParkedTicket same = ask(40, null, new TicketRequest.Origin(null, "one", null));
    ParkedTicket other = ask(40, null, new TicketRequest.Origin(null, "other", null));
    learn(first, 39, true);
    assertThat(asked).isEqualTo(1);
    assertThat(went(same)).isTrue();
    assertThat(other.cost().cachedTokens()).isZero();
  }

  @Test
  void answerThatChangesNothing_asksNoForecast() {
    ParkedTicket first = ask();
    ask();
    ask();
    learn(first, 39, false);
    assertThat(asked).isZero();
  }

  @Test
  void answerThatWarmedACache_changesThoseThatWaitedForItsBeginning() {
    TicketRequest.SharedPrefix prefix = new TicketRequest.SharedPrefix("k", 1, 5 * SECOND);
    ParkedTicket first = ask(90, prefix);
    ParkedTicket behind = ask(40, prefix);
    ParkedTicket other = ask();
    settlement(first).answerBegan();
    fixture.drivers.run();
    assertThat(List.of(behind, other)).allMatch(each -> waits(each));
    learn(first, 35, false);
    assertThat(went(behind)).isTrue();
    assertThat(other.cost().cachedTokens()).as("another beginning").isZero();
  }

  @Test
  void retry_reliesOnNoCacheWhateverIsLearned() {
    cached = 10;
    ParkedTicket first = ask(90, null);
    ParkedTicket retried =
        Objects.requireNonNull(
            settlement(first).retry(AttemptFailure.BROKEN, false, fixture.ticker.nanos()));
    fixture.drivers.run();
    ParkedTicket small = ask(10, null);
    assertThat(waits(retried)).isTrue();
    settlement(small).cacheLearned(true);
    fixture.drivers.run();
    assertThat(retried.cost().cachedTokens()).isZero();
  }

  @Test
  void promptAboveTheLimitThatLosesItsCache_isRefused() {
    ParkedTicket first = ask(90, null);
    cached = 150;
    ParkedTicket large = ask(200, null);
    assertThat(waits(large)).isTrue();
    learn(first, 0, true);
    assertThat(refusal(large).reason()).isEqualTo(RefusalReason.COST_EXCEEDS_CAPACITY);
  }
}
