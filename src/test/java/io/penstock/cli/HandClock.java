package io.penstock.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that tests move by hand. */
final class HandClock implements InstantSource {
  private Instant now = Instant.parse("2026-11-22T12:00:00Z");

  @Override
  public Instant instant() {
    return now;
  }

  void pass(Duration time) {
    now = now.plus(time);
  }
}
