package io.penstock.settings;

import org.springframework.boot.SpringApplication;

/**
 * Ends a start before anything is created; the message tells a person why, in one line. Extends the
 * framework's own exception so that the framework lets it through without a report of its own.
 */
public final class CannotStart extends SpringApplication.AbandonedRunException {
  private static final long serialVersionUID = 1L;

  private final String why;

  public CannotStart(String why) {
    this.why = why;
  }

  @Override
  public String getMessage() {
    return why;
  }
}
