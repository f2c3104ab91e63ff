package io.penstock.queue;

/** Order in which tickets leave a queue. */
public enum QueueOrder {
  /** Oldest first. */
  FIFO,
  /** Newest first. */
  LIFO,
  /** Highest priority first, which grows with waiting. */
  PRIORITY,
  /** Each waiting ticket is equally likely to be next. */
  RANDOM,
  /** Earliest deadline first. */
  DEADLINE,
  /** By flow: the flow that got the least goes next. */
  FAIR
}
