package io.penstock.coordination;

/**
 * Objects by which programs outside agree on who goes when. They are made by the first operation on
 * them. Those who wait for one are served in order of arrival. Safe from any thread; nothing here
 * waits.
 */
public interface Coordination extends AutoCloseable {
  /** A client that waits for as long as it takes. */
  long FOR_EVER = -1;

  /**
   * Has an operation done on an object, as soon as it can be.
   *
   * @param name of the object, among those of its kind
   * @param maxWaitNanos after which the answer is {@link Reply.TimedOut}; 0 never waits, {@link
   *     #FOR_EVER} always does; at most {@link Operation#MOST_NANOS}
   * @return the turn, which its client takes once it has the answer
   */
  Turn call(String name, Operation operation, long maxWaitNanos);

  /** Returns whether operations can be done now, as far as is known. */
  boolean ready();

  /** Returns how many wait here. */
  long waiting();

  /** Returns how many objects there are, as far as is known. */
  long objects();

  /** Has all who wait here now go, with that answer. */
  void dismiss(Reply answer);

  @Override
  void close();
}
