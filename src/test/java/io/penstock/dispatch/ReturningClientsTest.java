package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.strict;
import static io.penstock.endpoint.EndpointFixture.tokens;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.FakeCallers;
import io.penstock.queue.QueueBounds;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.tenant.PromiseHolder;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of clients that obey what a refusal tells them: they repeat the request at the time that
 * they were told, like the libraries of the providers, which repeat it twice.
 */
class ReturningClientsTest {
  private static final int RETRIES = 2;

  /** One more attempt of a client. */
  private record Attempt(int client, int retries, long atNanos) {}

  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final FakeCallers callers = new FakeCallers();
  private final List<Long> told = new ArrayList<>();

  /** The retries after which each client was served; a client that gave up is not listed. */
  private final List<Integer> served = new ArrayList<>();

  /**
   * Lets clients arrive at once and repeat refused requests as they are told.
   *
   * @param submitted submits one request at the present time
   */
  private void run(int clients, Supplier<ParkedTicket> submitted) {
    Queue<Attempt> due =
        new PriorityQueue<>(
            Comparator.comparingLong(Attempt::atNanos).thenComparingInt(Attempt::client));
    for (int client = 0; client < clients; client++) {
      due.add(new Attempt(client, 0, endpointFixture.ticker.nanos() - START));
    }
    for (Attempt next = due.poll(); next != null; next = due.poll()) {
      Attempt attempt = next;
      endpointFixture.at(attempt.atNanos());
      submitted
          .get()
          .whenDecided(
              outcome -> {
                if (outcome instanceof TicketOutcome.Refused(Refusal refusal)) {
                  told.add(refusal.retryAfterNanos());
                  again(attempt, refusal, due);
                } else {
                  served.add(attempt.retries());
                }
              });
      if (due.isEmpty()) {
        endpointFixture.at(endpointFixture.ticker.nanos() - START + 3_600 * SECOND);
      }
    }
  }

  /** Libraries wait for whole milliseconds. */
  private void again(Attempt attempt, Refusal refusal, Queue<Attempt> due) {
    if (attempt.retries() < RETRIES) {
      long millis = refusal.retryAfterMillis().orElseThrow();
      long at = endpointFixture.ticker.nanos() - START + millis * (SECOND / 1_000);
      due.add(new Attempt(attempt.client(), attempt.retries() + 1, at));
    }
  }

  private static ParkedTicket ask(Endpoint endpoint, long clientNanos) {
    return endpoint.submit(
        RequestFixture.of(null, Cost.ofInput(1))
            .patience(new WaitPatience(WaitPatience.UNSTATED, clientNanos))
            .tenant(new Object())
            .made());
  }

  /** Submits a request of a session of alice's key, or of her key without a session. */
  private static ParkedTicket ask(Endpoint endpoint, FakeCallers.Caller alice, String session) {
    return endpoint.submit(
        RequestFixture.of(null, Cost.ofInput(1))
            .tenant("alice")
            .session(session)
            .account(alice.account)
            .made());
  }

  private FakeCallers.Caller alice(int perMinute) {
    return callers
        .rejecting("alice")
        .limit(LimitMeasure.REQUESTS, perMinute, RefusalReason.KEY_RPM);
  }

  /** Aider repeats after half a second when it is told more than two minutes. */
  @ParameterizedTest
  @ValueSource(strings = {"", "s"})
  void clientThatRepeatsAllTheTime_keepsItsTime_andMovesNobodysAway(String session) {
    FakeCallers.Caller alice = alice(3);
    Endpoint endpoint = endpointFixture.open(none("/"));
    for (int each = 0; each < 3; each++) {
      assertThat(went(ask(endpoint, alice, session))).isTrue();
    }
    long first = refusal(ask(endpoint, alice, session)).retryAfterNanos();
    for (int each = 1; each <= 100; each++) {
      endpointFixture.at(each * SECOND / 2);
      assertThat(refusal(ask(endpoint, alice, session)).retryAfterNanos())
          .isEqualTo(first - each * SECOND / 2);
    }
    List<Long> others = new ArrayList<>();
    for (int each = 0; each < 4; each++) {
      others.add(refusal(ask(endpoint, alice, "other " + each)).retryAfterNanos());
    }
    long left = first - 50 * SECOND;
    assertThat(others)
        .as("three a minute")
        .containsExactly(left, left, left + 61 * SECOND, left + 61 * SECOND);
  }

  @Test
  void clientOfAFullQueueThatRepeatsAllTheTime_movesNobodysTimeAway() {
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 10).queueTimeout(30 * SECOND));
    for (int each = 0; each < 4; each++) {
      ask(endpoint, Long.MAX_VALUE);
    }
    Supplier<ParkedTicket> impatient =
        () ->
            endpoint.submit(
                RequestFixture.of(null, Cost.ofInput(1)).tenant("i").session("").made());
    long first = refusal(impatient.get()).retryAfterNanos();
    for (int each = 0; each < 20; each++) {
      assertThat(refusal(impatient.get()).retryAfterNanos()).isEqualTo(first);
    }
    assertThat(refusal(ask(endpoint, Long.MAX_VALUE)).retryAfterNanos())
        .isEqualTo(first + 10 * SECOND);
  }

  @Test
  void roomComesBack_repeatIsServedBeforeItsTime() {
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.TOKENS, 100, RefusalReason.KEY_TPM);
    Endpoint endpoint = endpointFixture.open(none("/"));
    ParkedTicket running = alice.submit(endpoint, 100);
    assertThat(refusal(ask(endpoint, alice, "s")).retryAfterNanos()).isPositive();
    EndpointFixture.settlement(running)
        .refused(Refusal.of(RefusalReason.UPSTREAM_TIMEOUT, "x"), START);
    assertThat(went(ask(endpoint, alice, "s"))).isTrue();
  }

  @Test
  void sessionsOfAKeyBeyondTheSixteenth_haveOneTimeTogether() {
    FakeCallers.Caller alice = alice(2);
    Endpoint endpoint = endpointFixture.open(none("/"));
    assertThat(went(ask(endpoint, alice, "a"))).isTrue();
    assertThat(went(ask(endpoint, alice, "a"))).isTrue();
    for (int each = 0; each < PromiseHolder.MOST_SESSIONS; each++) {
      told.add(refusal(ask(endpoint, alice, "s" + each)).retryAfterNanos());
    }
    assertThat(told).containsSequence(61 * SECOND, 61 * SECOND, 122 * SECOND, 122 * SECOND);
    long further = refusal(ask(endpoint, alice, "t")).retryAfterNanos();
    assertThat(further).isEqualTo(told.getLast() + 61 * SECOND);
    assertThat(refusal(ask(endpoint, alice, "u")).retryAfterNanos()).isEqualTo(further);
    assertThat(refusal(ask(endpoint, alice, "s3")).retryAfterNanos()).isEqualTo(told.get(3));
  }

  /** The clients give up after 12 s, of which the gateway leaves a second for its answer. */
  @Test
  void twentyCallsAtTwelveAMinute_withADeadlineOf12Seconds_allSucceed() {
    Endpoint endpoint = endpointFixture.open(strict("/", 12, 60));
    run(20, () -> ask(endpoint, 11 * SECOND));
    assertThat(served).hasSize(20);
    assertThat(served).filteredOn(retries -> retries == 0).as("0, 5 and 10 s").hasSize(3);
    assertThat(served).filteredOn(retries -> retries > 1).isEmpty();
    assertThat(told).as("the wait less the deadline").startsWith(4 * SECOND, 9 * SECOND);
  }

  @Test
  void deadlineOfTheClient_refusesWhatCannotMakeIt_andTellsWhenItCould() {
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 10).queueTimeout(30 * SECOND));
    assertThat(went(ask(endpoint, 5 * SECOND))).isTrue();
    Refusal refusal = refusal(ask(endpoint, 5 * SECOND));
    assertThat(refusal.reason()).isEqualTo(RefusalReason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT);
    assertThat(refusal.retryAfterNanos()).isEqualTo(5 * SECOND);
    assertThat(refusal.retryUseless()).isFalse();
    endpointFixture.at(5 * SECOND);
    ParkedTicket again = ask(endpoint, 5 * SECOND);
    endpointFixture.at(10 * SECOND);
    assertThat(went(again)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 12})
  void keyAtItsLimit_sevenClientsComeBackAtTheirTimes_allGetInAtOnce(int perMinute) {
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.REQUESTS, perMinute, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.open(none("/"));
    for (int each = 0; each < perMinute; each++) {
      assertThat(went(alice.submit(endpoint, 1))).isTrue();
    }
    run(7, () -> alice.submit(endpoint, 1));
    assertThat(served).as("told %s", told).containsExactly(1, 1, 1, 1, 1, 1, 1);
  }

  @Test
  void keyThatIsUsedSteadily_tenClientsGetIn() {
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.REQUESTS, 12, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.open(none("/"));
    for (int each = 0; each < 12; each++) {
      endpointFixture.at(each * 5L * SECOND);
      assertThat(went(alice.submit(endpoint, 1))).isTrue();
    }
    run(10, () -> alice.submit(endpoint, 1));
    assertThat(served).as("told %s", told).hasSize(10).allMatch(retries -> retries == 1);
    assertThat(told).doesNotHaveDuplicates();
  }

  @Test
  void keyAtItsLimitOfTokens_costsOfThoseRefusedCount() {
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.TOKENS, 100, RefusalReason.KEY_TPM);
    Endpoint endpoint = endpointFixture.open(none("/"));
    assertThat(went(alice.submit(endpoint, 100))).isTrue();
    run(6, () -> alice.submit(endpoint, 40));
    assertThat(served).as("told %s", told).containsExactly(1, 1, 1, 1, 1, 1);
    assertThat(told)
        .containsExactly(
            61 * SECOND, 61 * SECOND, 122 * SECOND, 122 * SECOND, 183 * SECOND, 183 * SECOND);
  }

  @Test
  void fullQueue_tenClientsComeBackForThePlacesAsTheyAreFreed() {
    Endpoint endpoint =
        endpointFixture.open(strict("/", 1, 1).bounds(1, QueueBounds.UNLIMITED, 1_000));
    run(12, () -> ask(endpoint, Long.MAX_VALUE));
    assertThat(served).as("told %s", told).hasSize(12).allMatch(retries -> retries <= 1);
  }

  @Test
  void manyExpireAtOnce_eachIsToldItsOwnTime_thoughFewAreEstimated() {
    Endpoint endpoint = endpointFixture.open(strict("/", 60, 60).maxWait(10 * SECOND));
    List<ParkedTicket> tickets = new ArrayList<>();
    for (int each = 0; each < 211; each++) {
      tickets.add(ask(endpoint, Long.MAX_VALUE));
    }
    endpointFixture.at(10 * SECOND);
    assertThat(tickets.subList(0, 11)).allMatch(EndpointFixture::went);
    List<Long> times =
        tickets.subList(11, 211).stream().map(each -> refusal(each).retryAfterNanos()).toList();
    assertThat(times.subList(0, 10))
        .as("they would go within 10 s if they came back at once")
        .containsOnly(Refusal.UNKNOWN);
    assertThat(times.subList(10, 200))
        .isEqualTo(LongStream.rangeClosed(1, 190).mapToObj(each -> each * SECOND).toList());
  }

  @Test
  void expiredWait_isToldWhenARepeatWouldMakeIt() {
    Endpoint endpoint = endpointFixture.open(tokens("/", 10, 60).maxWait(20 * SECOND));
    EndpointFixture.submit(endpoint, 10);
    ParkedTicket second = EndpointFixture.submit(endpoint, 10);
    ParkedTicket third = EndpointFixture.submit(endpoint, 10);
    endpointFixture.at(20 * SECOND);
    assertThat(refusal(second).reason()).isEqualTo(RefusalReason.QUEUE_TIMEOUT);
    assertThat(List.of(refusal(second).retryAfterNanos(), refusal(third).retryAfterNanos()))
        .containsExactly(20 * SECOND, 80 * SECOND);
  }

  @Test
  void promises_keepNothingFree_andAreForgottenWhenTheyAreDue() {
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.open(none("/"));
    alice.submit(endpoint, 1);
    assertThat(refusal(alice.submit(endpoint, 1)).retryAfterNanos()).isEqualTo(61 * SECOND);
    assertThat(refusal(alice.submit(endpoint, 1)).retryAfterNanos()).isEqualTo(122 * SECOND);
    endpointFixture.at(61 * SECOND);
    assertThat(went(alice.submit(endpoint, 1))).as("whoever comes first").isTrue();
    assertThat(refusal(alice.submit(endpoint, 1)).retryAfterNanos())
        .as("behind the one that is expected at 122 s")
        .isEqualTo(122 * SECOND);
  }

  @Test
  void clientThatNeverObeys_isNotToldTimesWithoutEnd() {
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 60));
    for (int each = 0; each < 2_000; each++) {
      alice.submit(endpoint, 1);
      ask(endpoint, SECOND);
    }
    assertThat(refusal(alice.submit(endpoint, 1)).retryAfterNanos())
        .isBetween(900 * SECOND, 961 * SECOND);
    assertThat(refusal(ask(endpoint, SECOND)).retryAfterNanos())
        .isLessThan(Ticker.NEVER)
        .isBetween(900 * SECOND, 961 * SECOND);
  }
}
