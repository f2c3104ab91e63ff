package io.penstock.simulator;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The caches of the providers, and the input that they count as it really is. An entry can be read
 * from the beginning of the answer that wrote it, until nobody used it for its lifetime; for a
 * while nothing is cached at all.
 */
final class SimProvider {
  private record Entry(long from, long until) {}

  private record Place(String pool, long fingerprint) {}

  /** Input that was counted, and the most that the limit and its open discounts allowed then. */
  private static final class Counted {
    private final long instant;
    private final long most;
    private long amount;

    Counted(long instant, long most, long amount) {
      this.instant = instant;
      this.most = most;
      this.amount = amount;
    }
  }

  private final SimWorld world;
  private final SimCaches caches;
  private final EventCounts eventCounts;
  private final Map<Place, Entry> entries = new HashMap<>();
  private final Map<SimPool, Deque<Counted>> counted = new HashMap<>();
  private final Map<SimTicket, Counted> latest = new HashMap<>();
  private long brokenFrom = Long.MAX_VALUE;
  private long brokenUntil = Long.MAX_VALUE;

  SimProvider(SimWorld world, EventCounts eventCounts) {
    this.world = world;
    this.caches = world.scenario().caches;
    this.eventCounts = eventCounts;
  }

  /** Draws a time without caches, for some worlds. */
  void begin(double spanSeconds) {
    if (caches.used && caches.chance(0.5)) {
      long span = (long) (spanSeconds * SimScenario.SECOND);
      brokenFrom = world.now() + caches.part(span);
      brokenUntil = brokenFrom + caches.part(span);
    }
  }

  private boolean works(long now) {
    return now < brokenFrom || now >= brokenUntil;
  }

  /** Sends an attempt with that much input; returns what its answer will state. */
  @Nullable SimAnswer sent(SimTicket ticket, long input) {
    SimPool pool = ticket.pool;
    if (!caches.used || pool == null) {
      return null;
    }
    long now = world.now();
    SimAnswer answer = answer(ticket, pool, input, now);
    count(ticket, pool, answer, now);
    return answer;
  }

  private SimAnswer answer(SimTicket ticket, SimPool pool, long input, long now) {
    long read = 0;
    long written = 0;
    SimPrompt prompt = ticket.prompt;
    if (prompt != null && works(now)) {
      Place place = new Place(pool.name, prompt.fingerprint());
      Entry entry = entries.get(place);
      if (entry != null && entry.until() <= now) {
        eventCounts.saw("cache entry expired");
      }
      boolean evicted = caches.chance(0.05); // for no reason that anybody could know
      if (entry != null && !evicted && entry.from() <= now && now < entry.until()) {
        read = Math.min(prompt.tokens(), input);
        entries.put(place, new Entry(entry.from(), now + lifetimeNanos()));
      } else {
        written = Math.min(prompt.tokens(), input);
      }
    }
    eventCounts.saw(read > 0 ? "cache read" : "cache not read");
    SimAnswer.States states =
        caches.chance(0.55)
            ? SimAnswer.States.EARLY
            : caches.chance(0.7) ? SimAnswer.States.AT_ITS_END : SimAnswer.States.NEVER;
    return new SimAnswer(now, input, read, written, states);
  }

  private long lifetimeNanos() {
    return caches.lifetimeSeconds * SimScenario.SECOND;
  }

  /** The answer to an attempt began: from now on the cache has its prompt. */
  void began(SimTicket ticket) {
    SimPrompt prompt = ticket.prompt;
    SimAnswer answer = ticket.answer;
    SimPool pool = ticket.pool;
    if (prompt != null && answer != null && pool != null && answer.written() > 0) {
      long now = world.now();
      entries.put(
          new Place(pool.name, prompt.fingerprint()), new Entry(now, now + lifetimeNanos()));
    }
  }

  /**
   * Counts the input that is not read from a cache, when it is sent. Where all input is as it was
   * expected, no window holds more than the limit and what may be left out of charges: its share of
   * the limit, or the part of a single request. A provider would refuse a request of more than its
   * limit, so it counts no more of it.
   */
  private void count(SimTicket ticket, SimPool pool, SimAnswer answer, long now) {
    OracleSpend.Metering metering = pool.limits.get(LimitMeasure.INPUT_TOKENS);
    if (metering == null || !world.scenario().exact) {
      return;
    }
    long limit = metering.limit().capacity();
    boolean free = pool.spec.budget().charge() == ChargeRule.ANTHROPIC;
    long share = free ? limit * pool.spec.budget().cacheTrust() / 100 : 0;
    long alone = share > 0 ? ticket.cost.cachedTokens() : 0;
    Counted own =
        new Counted(
            now, limit + Math.max(share, alone), Math.min(limit, answer.input() - answer.read()));
    Deque<Counted> all = counted.computeIfAbsent(pool, absent -> new ArrayDeque<>());
    while (!all.isEmpty() && all.getFirst().instant <= now - world.window()) {
      all.removeFirst();
    }
    all.addLast(own);
    latest.put(ticket, own);
    long sum = all.stream().mapToLong(each -> each.amount).sum();
    long most = all.stream().mapToLong(each -> each.most).max().orElse(0);
    if (own.amount > 0 && sum > most) {
      throw new InvariantViolation(
          "%s counts %d tokens of input, at most %d are allowed: %s"
              .formatted(pool.name, sum, most, ticket));
    }
    if (sum > limit) {
      eventCounts.saw("beyond a limit within the bound");
    }
  }

  /** An attempt failed in a way in which the provider counts none of it. */
  void uncounted(SimTicket ticket) {
    Counted own = latest.remove(ticket);
    if (own != null) {
      own.amount = 0;
    }
  }
}
