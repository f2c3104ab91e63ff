package io.penstock.sim;

/** A piece that is broken on purpose, to prove that the oracle sees it. */
enum Fault {
  /** Nothing is broken. */
  NONE,
  /** Limits are a little larger than configured. */
  LARGER_LIMIT,
  /** Now and then an alarm never rings. */
  LOST_ALARM,
  /** Alarms ring a little late. */
  LATE_ALARM,
  /** Now and then a signal is lost. */
  LOST_SIGNAL,
  /** Now and then an answer ends and is not settled. */
  NEVER_SETTLED,
  /** Output is not charged as it is produced. */
  NOT_PRODUCED,
  /** Usage is reported too low. */
  TOO_LITTLE_USED
}
