package io.penstock.config;

import io.penstock.config.shape.SourcePlace;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Collects faults without duplicates, up to a bound. Not thread-safe. */
final class FaultCollector {
  /** Maximum number of faults that are kept, so that a file of garbage does not produce more. */
  static final int MOST = 200;

  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}+");
  private static final Comparator<ConfigurationFault> BY_PLACE =
      Comparator.comparing(ConfigurationFault::file)
          .thenComparingInt(ConfigurationFault::line)
          .thenComparingInt(ConfigurationFault::column);

  private final Set<ConfigurationFault> found = new LinkedHashSet<>();

  void add(SourcePlace place, String message) {
    if (found.size() < MOST) {
      String line = CONTROL.matcher(message).replaceAll(" ");
      found.add(new ConfigurationFault(place.file(), place.line(), place.column(), line));
    }
  }

  boolean none() {
    return found.isEmpty();
  }

  /** Returns whether further faults are no longer kept, so that reading on is pointless. */
  boolean full() {
    return found.size() >= MOST;
  }

  List<ConfigurationFault> sorted() {
    return found.stream().sorted(BY_PLACE).toList();
  }
}
