package io.penstock.shares;

/** A limit as an instance of the simulation spends it. */
interface WorldLimit extends ShareUser {
  /** Waits with others until {@code amount} can go, then runs {@code go}. */
  void arrive(long amount, Runnable go, long now);

  /** Takes the first waiting request away, as if its client had left. */
  void leave();

  /** Lets everything go that can go now. */
  void look(long now);

  /** Ends a request that held a permit. */
  void end(long amount, long now);
}
