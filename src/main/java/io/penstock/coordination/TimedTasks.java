package io.penstock.coordination;

import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Tasks to run at given instants. Used by one thread at a time. */
public final class TimedTasks {
  /** Action of an entry. */
  public interface Task {
    /** Runs the action. */
    void run(long nowNanos);
  }

  /**
   * Task with its instant.
   *
   * @param late whether it runs after the other tasks of its instant, so that a client that can be
   *     served at the very instant of its deadline is served
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

  @SharedState("coordination objects")
  private final TreeSet<Entry> entries = new TreeSet<>();

  private long order;

  /** Adds a task; returns its entry, or null without adding any at {@link Ticker#NEVER}. */
  public @Nullable Entry note(long atNanos, boolean late, Task task) {
    if (atNanos == Ticker.NEVER) {
      return null;
    }
    Entry entry = new Entry(atNanos, late, order++, task);
    entries.add(entry);
    return entry;
  }

  /** Removes an entry, if it is still there. */
  public void strike(@Nullable Entry entry) {
    if (entry != null) {
      entries.remove(entry);
    }
  }

  /** Returns the instant of the first entry, or {@link Ticker#NEVER}. */
  public long nextNanos() {
    return entries.isEmpty() ? Ticker.NEVER : entries.getFirst().atNanos();
  }

  /** Runs all due tasks in the order of their instants, and those that become due by this. */
  public void run(long nowNanos) {
    while (nextNanos() <= nowNanos && !entries.isEmpty()) {
      entries.removeFirst().task().run(nowNanos);
    }
  }
}
