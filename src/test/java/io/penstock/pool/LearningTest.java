package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.fake.TrailingChecker;
import io.penstock.queue.DimensionSizes;
import io.penstock.queue.Ticket;
import io.penstock.quota.Charge;
import io.penstock.quota.ProviderStatus;
import io.penstock.quota.Quota;
import io.penstock.sharing.KnownPeerCounts;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An hour of overload, in simulated time, of a provider with a limit 30 % lower than configured.
 * The provider applies it exactly over any trailing minute, and answers 429 to requests beyond it.
 */
class LearningTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long CONFIGURED = 100_000;
  private static final long TRUE_LIMIT = 70_000;
  private static final long ON_THE_WAY = 5_000_000;
  private static final int MINUTES = 60;

  private record Request(long order, Cost cost, int rejected) {}

  private record Answer(long at, Request request, List<Charge> spends, ProviderLesson lesson) {}

  private final TrailingChecker provider = new TrailingChecker(TRUE_LIMIT, WINDOW);
  private final PriorityQueue<Request> waiting =
      new PriorityQueue<>(Comparator.comparingLong(Request::order));
  private final PriorityQueue<Answer> answers =
      new PriorityQueue<>(Comparator.comparingLong(Answer::at));
  private final int[] refusedByMinute = new int[MINUTES + 1];
  private long passed;
  private long served;
  private long arrivals;

  private static Upstream upstream() {
    UpstreamRegistry upstreamRegistry =
        new UpstreamRegistry(
            new PoolLimits(
                new LocalLimitSource(), WINDOW, Long.MAX_VALUE, () -> 0, KnownPeerCounts.NONE),
            new Random(7));
    UpstreamSpec spec =
        UpstreamSetup.of("u")
            .limits(0, CONFIGURED, 0, 0)
            .charge(ChargeRule.OPENAI)
            .guardNanos(50_000_000)
            .burstSeconds(5)
            .spec();
    upstreamRegistry.apply(List.of(spec), 0);
    return Objects.requireNonNull(upstreamRegistry.find("u"));
  }

  /** Returns the instant from which an amount fits if nothing else arrives. */
  private long fits(long amount, long now) {
    long instant = now;
    List<Long> charged = provider.charges().keySet().stream().sorted().toList();
    for (long at : charged) {
      if (provider.used(instant) + amount <= TRUE_LIMIT) {
        return instant;
      }
      instant = Math.max(instant, at + WINDOW);
    }
    return instant;
  }

  private ProviderLesson decide(long amount, long now, boolean announces) {
    boolean takes = provider.fits(now, amount);
    if (takes) {
      provider.charge(now, amount);
    }
    List<ProviderStatus> standings =
        announces
            ? List.of(
                new ProviderStatus(
                    LimitMeasure.TOKENS, TRUE_LIMIT, TRUE_LIMIT - provider.used(now), WINDOW))
            : List.of();
    long wait =
        takes ? ProviderStatus.UNSTATED : Math.ceilDiv(fits(amount, now) - now, SECOND) * SECOND;
    if (!takes) {
      refusedByMinute[(int) (now / WINDOW)]++;
    }
    return new ProviderLesson(
        takes ? 200 : 429,
        standings,
        wait,
        takes ? ProviderLesson.ErrorCause.OTHER : ProviderLesson.ErrorCause.RATE);
  }

  private Request next(Random random) {
    long tokens = 100 + random.nextLong(900);
    return new Request(arrivals++, Cost.ofInput(tokens), 0);
  }

  private void answered(Upstream upstream, Quota pool, Answer answer) {
    long now = answer.at();
    pool.learn(answer.lesson().statuses(), answer.spends(), now);
    if (answer.lesson().refusesByUnnamedLimit()) {
      pool.learnRefusal(answer.spends(), now);
    }
    boolean rejected = answer.lesson().status() == 429;
    int times = answer.request().rejected() + (rejected ? 1 : 0);
    AttemptVerdict verdict =
        upstream.judge(UpstreamFixture.attempt("m", times, 0), answer.lesson(), now);
    if (verdict == AttemptVerdict.WAIT) {
      answer.spends().forEach(spend -> spend.rejected(now));
      waiting.add(new Request(answer.request().order(), answer.request().cost(), times));
      return;
    }
    answer.spends().forEach(spend -> spend.settle(null, 0, now));
    passed += rejected ? 1 : 0;
    served += rejected ? 0 : answer.request().cost().inputTokens();
  }

  private static DimensionSizes sizes(Request request) {
    DimensionSizes dimensionSizes = new DimensionSizes();
    new Ticket(request.order(), request.cost(), 0, 0, Ticker.NEVER).sizesInto(dimensionSizes);
    return dimensionSizes;
  }

  private @Nullable Answer send(Quota pool, long latency, boolean announces, long now) {
    Request head = Objects.requireNonNull(waiting.peek());
    List<Charge> spends = new ArrayList<>();
    DimensionSizes dimensionSizes = sizes(head);
    if (pool.requestAdmission(dimensionSizes, now) > now || !pool.take(head.cost(), now, spends)) {
      return null;
    }
    waiting.remove();
    ProviderLesson providerLesson = decide(head.cost().inputTokens(), now + ON_THE_WAY, announces);
    return new Answer(now + latency, head, spends, providerLesson);
  }

  private void run(Upstream upstream, long latency, boolean announces) {
    Quota pool = upstream.pool("m", 0);
    Random random = new Random(42);
    long now = 0;
    while (now < MINUTES * WINDOW - ON_THE_WAY) {
      while (waiting.size() < 10) {
        waiting.add(next(random));
      }
      Answer sent = send(pool, latency, announces, now);
      if (sent != null) {
        answers.add(sent);
        continue;
      }
      DimensionSizes dimensionSizes = sizes(Objects.requireNonNull(waiting.peek()));
      long goes = pool.requestAdmission(dimensionSizes, now);
      Answer first = answers.peek();
      if (first != null && first.at() <= goes) {
        now = Math.max(now, first.at());
        answered(upstream, pool, answers.remove());
      } else {
        assertThat(goes).isGreaterThan(now).isLessThan(Long.MAX_VALUE);
        now = goes;
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"true, 200, 90", "true, 3000, 90", "false, 200, 95", "false, 3000, 94"})
  void limitLowerThanConfigured_everyRequestSucceeds(
      boolean announces, long latencyMillis, int percent) {
    run(upstream(), latencyMillis * 1_000_000, announces);
    int later = 0;
    int most = 0;
    for (int minute = 1; minute < MINUTES; minute++) {
      later += refusedByMinute[minute];
      most = Math.max(most, refusedByMinute[minute]);
    }
    double share = served / (double) (TRUE_LIMIT * MINUTES);
    System.out.printf(
        Locale.ROOT,
        "limit 30 %% lower, %s, answers after %d ms: %.1f %% of it used, 429s: %d in the first"
            + " window, then %d in %d, at most %d in one, %d to clients%n",
        announces ? "announced" : "only Retry-After",
        latencyMillis,
        100 * share,
        refusedByMinute[0],
        later,
        MINUTES - 1,
        most,
        passed);
    assertThat(passed).isZero();
    assertThat(share).isGreaterThanOrEqualTo(percent / 100.0);
    if (announces) {
      assertThat(most).isLessThanOrEqualTo(1);
    }
  }
}
