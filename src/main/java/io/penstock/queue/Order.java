package io.penstock.queue;

/** In which order tickets leave a queue. */
public enum Order {
  /** Oldest first. */
  FIFO
}
