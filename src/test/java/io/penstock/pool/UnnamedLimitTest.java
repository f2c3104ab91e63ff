package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.queue.DimensionSizes;
import io.penstock.queue.Ticket;
import io.penstock.quota.Charge;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.sharing.KnownPeerCounts;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Hours of overload, in simulated time, of a provider that names no limits: it answers 429 with a
 * time to retry, and allows less than is configured. The checkers of the provider share no code
 * with the gateway's limits.
 */
class UnnamedLimitTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long ON_THE_WAY = 5_000_000;
  private static final long LATENCY = 200_000_000;
  private static final int LEARNING_WINDOWS = 5;

  /** How a provider counts. */
  enum Kind {
    FIXED,
    TRAILING,
    BUCKET
  }

  /** A provider's count of one measure. */
  private interface Checker {
    /** Returns the instant from which {@code amount} passes if nothing else comes. */
    long fitsAt(long amount, long now);

    void take(long amount, long now);

    void allow(long perWindow, long now);
  }

  private static final class Fixed implements Checker {
    /** The provider's windows begin at another time than the gateway's. */
    private static final long SHIFT = 23 * SECOND;

    private long allowed;
    private long window = Long.MIN_VALUE;
    private long used;

    private void roll(long now) {
      long current = Math.floorDiv(now + SHIFT, WINDOW);
      used = current == window ? used : 0;
      window = current;
    }

    @Override
    public long fitsAt(long amount, long now) {
      roll(now);
      return used + amount <= allowed ? now : (window + 1) * WINDOW - SHIFT;
    }

    @Override
    public void take(long amount, long now) {
      used += amount;
    }

    @Override
    public void allow(long perWindow, long now) {
      allowed = perWindow;
    }
  }

  private static final class Trailing implements Checker {
    private record Taken(long at, long amount) {}

    private final Deque<Taken> taken = new ArrayDeque<>();
    private long allowed;
    private long used;

    @Override
    public long fitsAt(long amount, long now) {
      while (!taken.isEmpty() && taken.getFirst().at() + WINDOW <= now) {
        used -= taken.removeFirst().amount();
      }
      long left = used;
      long at = now;
      for (Taken each : taken) {
        if (left + amount <= allowed) {
          break;
        }
        left -= each.amount();
        at = each.at() + WINDOW;
      }
      return at;
    }

    @Override
    public void take(long amount, long now) {
      taken.add(new Taken(now, amount));
      used += amount;
    }

    @Override
    public void allow(long perWindow, long now) {
      allowed = perWindow;
    }
  }

  /** Bucket that holds what is allowed in a window, and starts full. */
  private static final class Bucket implements Checker {
    private long allowed;
    private double level = Double.NaN;
    private long since;

    private void fill(long now) {
      level =
          Double.isNaN(level)
              ? allowed
              : Math.min((double) allowed, level + (double) allowed * (now - since) / WINDOW);
      since = now;
    }

    @Override
    public long fitsAt(long amount, long now) {
      fill(now);
      return level >= amount
          ? now
          : now + (long) Math.ceil((amount - level) * WINDOW / (double) allowed);
    }

    @Override
    public void take(long amount, long now) {
      level -= amount;
    }

    @Override
    public void allow(long perWindow, long now) {
      if (allowed > 0) {
        fill(now);
      }
      allowed = perWindow;
    }
  }

  private static Checker checker(Kind kind) {
    return switch (kind) {
      case FIXED -> new Fixed();
      case TRAILING -> new Trailing();
      case BUCKET -> new Bucket();
    };
  }

  private record Request(long order, Cost cost, int rejected) {}

  private record Answer(long at, Request request, List<Charge> spends, ProviderLesson lesson) {}

  /** A gateway's pool with a backlog that never ends, and its provider. */
  private static final class World {
    private final Upstream upstream;
    private final Quota pool;
    private final Checker requests;
    private final Checker tokens;
    private final long retryUnit;
    private final Random random = new Random(42);
    private final PriorityQueue<Request> waiting =
        new PriorityQueue<>(Comparator.comparingLong(Request::order));
    private final PriorityQueue<Answer> answers =
        new PriorityQueue<>(Comparator.comparingLong(Answer::at));
    private final long[] refused = new long[1_000];
    private final long[] served = new long[1_000];
    private final long[] servedTokens = new long[1_000];
    private long arrivals;
    private long passedOn;
    private long now;

    /** The instant of an answer with 429 that has nothing to do with limits. */
    private long oddAt = Ticker.NEVER;

    World(Kind kind, long rpm, long tpm, long retryUnit) {
      UpstreamRegistry registry =
          new UpstreamRegistry(
              new PoolLimits(
                  new LocalLimitSource(), WINDOW, Long.MAX_VALUE, () -> 0, KnownPeerCounts.NONE),
              new Random(7));
      registry.apply(List.of(spec(rpm, tpm)), 0);
      upstream = Objects.requireNonNull(registry.find("u"));
      pool = upstream.pool("m", 0);
      requests = checker(kind);
      tokens = checker(kind);
      this.retryUnit = retryUnit;
    }

    static UpstreamSpec spec(long rpm, long tpm) {
      return UpstreamSetup.of("u")
          .limits(rpm, tpm, 0, 0)
          .charge(ChargeRule.OPENAI)
          .guardNanos(50_000_000)
          .burstSeconds(5)
          .spec();
    }

    World allows(long rpm, long tpm) {
      requests.allow(rpm, now);
      tokens.allow(tpm, now);
      return this;
    }

    private int minute() {
      return (int) (now / WINDOW);
    }

    private ProviderLesson decide(Cost cost, long at) {
      long goes = Math.max(requests.fitsAt(1, at), tokens.fitsAt(cost.inputTokens(), at));
      if (at >= oddAt) {
        oddAt = Ticker.NEVER;
        goes = at + SECOND;
      }
      if (goes <= at) {
        requests.take(1, at);
        tokens.take(cost.inputTokens(), at);
        return ProviderLesson.silent(200);
      }
      refused[minute()]++;
      long retry = Math.ceilDiv(goes - at, retryUnit) * retryUnit;
      return new ProviderLesson(429, List.of(), retry, ProviderLesson.ErrorCause.RATE);
    }

    private void answered(Answer answer) {
      boolean rejected = answer.lesson().status() == 429;
      if (answer.lesson().refusesByUnnamedLimit()) {
        pool.learnRefusal(answer.spends(), now);
      }
      int times = answer.request().rejected() + (rejected ? 1 : 0);
      AttemptVerdict verdict =
          upstream.judge(UpstreamFixture.attempt("m", times, 0), answer.lesson(), now);
      if (verdict == AttemptVerdict.WAIT) {
        answer.spends().forEach(spend -> spend.rejected(now));
        waiting.add(new Request(answer.request().order(), answer.request().cost(), times));
        return;
      }
      answer.spends().forEach(spend -> spend.settle(null, 0, now));
      passedOn += rejected ? 1 : 0;
      served[minute()] += rejected ? 0 : 1;
      servedTokens[minute()] += rejected ? 0 : answer.request().cost().inputTokens();
    }

    private static DimensionSizes sizes(Request request) {
      DimensionSizes dimensionSizes = new DimensionSizes();
      new Ticket(request.order(), request.cost(), 0, 0, Ticker.NEVER).sizesInto(dimensionSizes);
      return dimensionSizes;
    }

    private @Nullable Answer send() {
      Request head = Objects.requireNonNull(waiting.peek());
      List<Charge> spends = new ArrayList<>();
      if (pool.requestAdmission(sizes(head), now) > now || !pool.take(head.cost(), now, spends)) {
        return null;
      }
      waiting.remove();
      return new Answer(now + LATENCY, head, spends, decide(head.cost(), now + ON_THE_WAY));
    }

    /** Runs until the end of that minute. */
    World until(int minutes) {
      while (now < minutes * WINDOW - ON_THE_WAY) {
        while (waiting.size() < 10) {
          waiting.add(new Request(arrivals++, Cost.ofInput(100 + random.nextLong(900)), 0));
        }
        Answer sent = send();
        if (sent != null) {
          answers.add(sent);
          continue;
        }
        long goes = pool.requestAdmission(sizes(Objects.requireNonNull(waiting.peek())), now);
        Answer first = answers.peek();
        if (first != null && first.at() <= goes) {
          now = Math.max(now, first.at());
          answered(answers.remove());
        } else {
          assertThat(goes).isGreaterThan(now).isLessThan(Ticker.NEVER);
          now = goes;
        }
      }
      return this;
    }

    private static long sum(long[] minutes, int from, int to) {
      long sum = 0;
      for (int minute = from; minute < to; minute++) {
        sum += minutes[minute];
      }
      return sum;
    }

    long refused(int from, int to) {
      return sum(refused, from, to);
    }

    double used(int from, int to, long rpm, long tpm) {
      double ofRequests = (double) sum(served, from, to) / (rpm * (to - from));
      double ofTokens = (double) sum(servedTokens, from, to) / (tpm * (to - from));
      return Math.max(ofRequests, ofTokens);
    }

    long raises() {
      return pool.limits().stream()
          .map(MeteredLimit::limit)
          .mapToLong(limit -> limit.feedback().raises(now))
          .sum();
    }
  }

  @ParameterizedTest
  @CsvSource({
    // kind, configured rpm and tpm, allowed rpm and tpm, unit of retry-after in ms
    "FIXED, 60, 1000000, 42, 1000000, 1",
    "FIXED, 60, 1000000, 42, 1000000, 1000",
    "TRAILING, 60, 1000000, 42, 1000000, 1",
    "TRAILING, 60, 1000000, 42, 1000000, 1000",
    "BUCKET, 60, 1000000, 42, 1000000, 1",
    "BUCKET, 60, 1000000, 42, 1000000, 1000",
    "FIXED, 1000, 100000, 1000, 70000, 1000",
    "TRAILING, 1000, 100000, 1000, 70000, 1000",
    "BUCKET, 1000, 100000, 1000, 70000, 1000",
    "FIXED, 200, 100000, 140, 100000, 1000",
    "TRAILING, 200, 100000, 140, 70000, 1000",
    "BUCKET, 200, 100000, 140, 100000, 1000",
    "FIXED, 600, 1000000, 180, 1000000, 1000",
    "TRAILING, 600, 1000000, 180, 1000000, 1000",
    "BUCKET, 600, 1000000, 180, 1000000, 1000",
  })
  void lessAllowedThanConfigured_fewRefusalsAndNearlyAllUsed(
      Kind kind, long rpm, long tpm, long allowedRpm, long allowedTpm, long retryMillis) {
    int minutes = 120;
    World world =
        new World(kind, rpm, tpm, retryMillis * 1_000_000)
            .allows(allowedRpm, allowedTpm)
            .until(minutes);
    long first = world.refused(0, LEARNING_WINDOWS);
    long later = world.refused(LEARNING_WINDOWS, minutes);
    double used = world.used(LEARNING_WINDOWS, minutes, allowedRpm, allowedTpm);
    System.out.printf(
        Locale.ROOT,
        "%s, %d of %d rpm, %d of %d tpm: %d refusals in %d windows, then %d in %d; %.1f %% used;"
            + " raised %d times, %d to clients%n",
        kind,
        allowedRpm,
        rpm,
        allowedTpm,
        tpm,
        first,
        LEARNING_WINDOWS,
        later,
        minutes - LEARNING_WINDOWS,
        100 * used,
        world.raises(),
        world.passedOn);
    assertThat(later).isLessThanOrEqualTo(minutes - LEARNING_WINDOWS);
    assertThat(used).isGreaterThanOrEqualTo(0.95);
    assertThat(world.passedOn).isZero();
    assertThat(world.raises()).isPositive().isLessThanOrEqualTo(minutes / 2);
  }

  @ParameterizedTest
  @CsvSource({"FIXED", "TRAILING", "BUCKET"})
  void allowanceRisesToTheConfigured_isUsedAgainWithin23Windows(Kind kind) {
    World world = new World(kind, 60, 1_000_000, SECOND).allows(42, 1_000_000).until(60);
    world.allows(60, 1_000_000).until(100);
    double used = world.used(60 + 23, 100, 60, 1_000_000);
    System.out.printf(Locale.ROOT, "%s, allows all again: %.1f %% used%n", kind, 100 * used);
    assertThat(used).isGreaterThanOrEqualTo(0.95);
    assertThat(world.pool.limits())
        .allSatisfy(each -> assertThat(each.limit().feedback().ceiling(world.now)).isNull());
  }

  @ParameterizedTest
  @CsvSource({"FIXED", "TRAILING", "BUCKET"})
  void allIsAllowed_nothingIsLostOrRaised(Kind kind) {
    World world = new World(kind, 60, 1_000_000, SECOND).allows(60, 1_000_000).until(60);
    assertThat(world.refused(0, 60)).isZero();
    assertThat(world.raises()).isZero();
    assertThat(world.used(1, 60, 60, 1_000_000)).isGreaterThanOrEqualTo(0.98);
  }

  @Test
  void oneOddRefusal_lowersTheLimitForOneWindowOnly() {
    World world = new World(Kind.TRAILING, 60, 1_000_000, SECOND).allows(60, 1_000_000);
    world.oddAt = 10 * WINDOW;
    world.until(20);
    assertThat(world.refused(0, 20)).isEqualTo(1);
    assertThat(world.used(9, 10, 60, 1_000_000)).isGreaterThanOrEqualTo(0.95);
    assertThat(world.used(12, 20, 60, 1_000_000)).isGreaterThanOrEqualTo(0.98);
    assertThat(world.pool.limits())
        .allSatisfy(each -> assertThat(each.limit().capacity(world.now)).isGreaterThan(59));
  }
}
