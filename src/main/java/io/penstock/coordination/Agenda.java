package io.penstock.coordination;

import io.penstock.time.Ticker;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What is to be done when. One thread at a time. */
public final class Agenda {
  /** What is to be done. */
  public interface Task {
    /** Does it. */
    void run(long nowNanos);
  }

  /**
   * Something to do.
   *
   * @param late whether it comes after all others of its instant: who can be served at the very
   *     instant of his deadline is served
   */
  public record Entry(long atNanos, boolean late, long order, Task task)
      implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int byTime = Long.compare(atNanos, other.atNanos);
      int byRank = byTime != 0 ? byTime : Boolean.compare(late, other.late);
      return byRank != 0 ? byRank : Long.compare(order, other.order);
    }
  }

  private final TreeSet<Entry> entries = new TreeSet<>();
  private long order;

  /** Notes something; at {@link Ticker#NEVER} nothing. */
  public @Nullable Entry note(long atNanos, boolean late, Task task) {
    if (atNanos == Ticker.NEVER) {
      return null;
    }
    Entry entry = new Entry(atNanos, late, order++, task);
    entries.add(entry);
    return entry;
  }

  /** Takes an entry out, if it is there. */
  public void strike(@Nullable Entry entry) {
    if (entry != null) {
      entries.remove(entry);
    }
  }

  /** Returns the instant of the first entry, or {@link Ticker#NEVER}. */
  public long nextNanos() {
    return entries.isEmpty() ? Ticker.NEVER : entries.getFirst().atNanos();
  }

  /** Does all that is due, in order of its instants, and what that makes due. */
  public void run(long nowNanos) {
    while (nextNanos() <= nowNanos && !entries.isEmpty()) {
      entries.removeFirst().task().run(nowNanos);
    }
  }
}
