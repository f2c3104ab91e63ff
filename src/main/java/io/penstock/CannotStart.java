package io.penstock;

import org.springframework.boot.SpringApplication;

/**
 * Ends a start before anything is made; the message says why, in one line for a person. The
 * framework lets its own kind of exception through without a report of its own.
 */
final class CannotStart extends SpringApplication.AbandonedRunException {
  private static final long serialVersionUID = 1L;

  private final String why;

  CannotStart(String why) {
    this.why = why;
  }

  @Override
  public String getMessage() {
    return why;
  }
}
