package io.penstock;

import org.springframework.boot.SpringApplication;

/**
 * Refuses to start with state that cannot be read, or could not be saved. The framework lets its
 * own kind of exception through without a report of its own.
 */
final class BadState extends SpringApplication.AbandonedRunException {
  private static final long serialVersionUID = 1L;

  private final String why;

  BadState(String why) {
    this.why = why;
  }

  @Override
  public String getMessage() {
    return why;
  }
}
