package io.penstock.redis;

import io.penstock.redis.RedisTrouble.Kind;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts failures of Redis, and logs when they begin and end. Thread-safe. */
public final class TroubleLog {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.redis");

  /**
   * Maximum number of faulty limits that are remembered and logged; further ones are only counted.
   */
  private static final int LIMITS = 1_000;

  private final String of;
  private final String each;
  private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
  private final Set<String> wrong = new HashSet<>();

  /**
   * Kinds of failures logged since the last success; a failure that comes and goes is logged once.
   */
  private final Set<Kind> reported = EnumSet.noneOf(Kind.class);

  /**
   * Creates a log without failures.
   *
   * @param of subject of the failures, such as {@code shares of limits}
   * @param each word for one of them, such as {@code limit}
   */
  public TroubleLog(String of, String each) {
    this.of = of;
    this.each = each;
  }

  /** Records a round that succeeded. */
  public void recordSuccess() {
    boolean ended;
    synchronized (this) {
      ended = !reported.isEmpty();
      reported.clear();
    }
    if (ended) {
      LOG.info("{}: Redis is well again", of);
    }
  }

  /** Records a round that failed. */
  public void recordFailure(RedisTrouble trouble) {
    boolean changed;
    synchronized (this) {
      counts.merge(trouble.kind(), 1L, Long::sum);
      // a pause follows from a failure that was logged before
      changed = trouble.kind() != Kind.PAUSED && reported.add(trouble.kind());
    }
    if (changed) {
      LOG.warn("{}: {}", of, trouble.getMessage());
    }
  }

  /** Records a failure of a single item. */
  public void recordFailure(String name, RedisTrouble trouble) {
    boolean changed;
    synchronized (this) {
      counts.merge(trouble.kind(), 1L, Long::sum);
      changed = wrong.size() < LIMITS && wrong.add(name);
    }
    if (changed) {
      LOG.warn("{}: {} {} is not shared: {}", of, each, name, trouble.getMessage());
    }
  }

  /** Records a success of a single item. */
  public void recordSuccess(String name) {
    boolean ended;
    synchronized (this) {
      ended = !wrong.isEmpty() && wrong.remove(name);
    }
    if (ended) {
      LOG.info("{}: {} {} is shared again", of, each, name);
    }
  }

  /** Returns the number of failures by kind; kinds without failures are absent. */
  public synchronized Map<Kind, Long> counts() {
    return Map.copyOf(counts);
  }
}
