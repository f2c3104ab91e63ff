package io.penstock.config.shape;

import java.util.List;

/** Receiver of the faults, the warnings and the names of variables that route files yield. */
public interface SourceFindings {
  void fault(SourcePlace place, String message);

  /** Returns whether further faults are no longer kept, so that reading on is pointless. */
  boolean full();

  void warn(SourcePlace place, String message);

  /** Notes environment variables that values were taken from. */
  void variables(List<String> names);
}
