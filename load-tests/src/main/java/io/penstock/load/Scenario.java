package io.penstock.load;

import java.io.IOException;
import java.time.Duration;

/** Something that is run as a whole, and measured. */
interface Scenario {
  /** Returns its name, by which it is asked for. */
  String name();

  /** Returns how long it may take at most; it is broken off then. */
  Duration longest(Settings settings);

  /** Runs it; whatever it started has ended when it returns. */
  Report run(Settings settings) throws IOException, InterruptedException;
}
