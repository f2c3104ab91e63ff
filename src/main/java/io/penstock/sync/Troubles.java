package io.penstock.sync;

import io.penstock.sync.RedisTrouble.Kind;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts what goes wrong with Redis, and says it when it begins and when it ends. Thread-safe. */
public final class Troubles {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.redis");

  /** Of so many limits it is remembered that they are wrong; of more it is only counted. */
  private static final int LIMITS = 1_000;

  private final String of;
  private final String each;
  private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
  private final Set<String> wrong = new HashSet<>();
  private long good;

  /** What was said since it was well last: what comes and goes is said once. */
  private final Set<Kind> said = EnumSet.noneOf(Kind.class);

  /**
   * Has counted nothing.
   *
   * @param of what goes wrong, such as {@code slices of limits}
   * @param each what one of it is, such as {@code limit}
   */
  Troubles(String of, String each) {
    this.of = of;
    this.each = each;
  }

  /** Takes note of a round that went well. */
  void well() {
    boolean ended;
    synchronized (this) {
      good++;
      ended = !said.isEmpty();
      said.clear();
    }
    if (ended) {
      LOG.info("{}: Redis is well again", of);
    }
  }

  /** Takes note of a round that failed. */
  void failed(RedisTrouble trouble) {
    boolean news;
    synchronized (this) {
      counts.merge(trouble.kind(), 1L, Long::sum);
      // that it is not asked follows from what was said before
      news = trouble.kind() != Kind.PAUSED && said.add(trouble.kind());
    }
    if (news) {
      LOG.warn("{}: {}", of, trouble.getMessage());
    }
  }

  /** Takes note of one that Redis or its reply failed. */
  void failed(String name, RedisTrouble trouble) {
    boolean news;
    synchronized (this) {
      counts.merge(trouble.kind(), 1L, Long::sum);
      news = wrong.size() < LIMITS && wrong.add(name);
    }
    if (news) {
      LOG.warn("{}: {} {} is not shared: {}", of, each, name, trouble.getMessage());
    }
  }

  /** Takes note of one that is well. */
  void well(String name) {
    boolean ended;
    synchronized (this) {
      ended = !wrong.isEmpty() && wrong.remove(name);
    }
    if (ended) {
      LOG.info("{}: {} {} is shared again", of, each, name);
    }
  }

  /** Returns how often something went wrong, by what it was; what never happened is absent. */
  public synchronized Map<Kind, Long> counts() {
    return Map.copyOf(counts);
  }

  /** Returns how many rounds went well. */
  public synchronized long good() {
    return good;
  }
}
