package io.penstock.config;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Collects faults without duplicates, up to a bound. Not thread-safe. */
final class Faults {
  /** Maximum number of faults that are kept, so that a file of garbage does not produce more. */
  static final int MOST = 200;

  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}+");
  private static final Comparator<Fault> BY_PLACE =
      Comparator.comparing(Fault::file)
          .thenComparingInt(Fault::line)
          .thenComparingInt(Fault::column);

  private final Set<Fault> found = new LinkedHashSet<>();

  void add(Place place, String message) {
    if (found.size() < MOST) {
      String line = CONTROL.matcher(message).replaceAll(" ");
      found.add(new Fault(place.file(), place.line(), place.column(), line));
    }
  }

  boolean none() {
    return found.isEmpty();
  }

  /** Returns whether further faults are no longer kept, so that reading on is pointless. */
  boolean full() {
    return found.size() >= MOST;
  }

  List<Fault> sorted() {
    return found.stream().sorted(BY_PLACE).toList();
  }
}
