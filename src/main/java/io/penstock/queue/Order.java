package io.penstock.queue;

/** In which order tickets leave a queue. */
public enum Order {
  /** Oldest first. */
  FIFO,
  /** Newest first. */
  LIFO,
  /** Highest priority first, which grows with waiting. */
  PRIORITY,
  /** Each of those who wait is equally likely to be next. */
  RANDOM,
  /** Earliest deadline first. */
  DEADLINE,
  /** By flow: the one that got least goes next. */
  FAIR
}
