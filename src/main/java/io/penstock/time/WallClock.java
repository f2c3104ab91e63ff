package io.penstock.time;

/** Wall time, for days, months, files and what clients send; never for limits. */
@FunctionalInterface
public interface WallClock {
  /** Returns the milliseconds since the Unix epoch. May jump in either direction. */
  long unixMillis();

  /** Returns the wall clock of this machine. */
  static WallClock system() {
    return System::currentTimeMillis;
  }
}
