package io.penstock.config;

import io.penstock.config.shape.SourcePlace;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/** The old names of settings that route files use; makes one warning of those of a file. */
final class OldNames {
  /** The first old name of a file, and the present name of each. */
  private record InFile(SourcePlace first, Map<String, String> names) {}

  private final Map<String, InFile> byFile = new LinkedHashMap<>();

  void note(SourcePlace place, String old, String name) {
    byFile
        .computeIfAbsent(place.file(), any -> new InFile(place, new LinkedHashMap<>()))
        .names()
        .put(old, name);
  }

  /** Passes on one warning for each file, at the place of its first old name. */
  void report(BiConsumer<SourcePlace, String> warn) {
    for (InFile file : byFile.values()) {
      String names =
          file.names().entrySet().stream()
              .map(entry -> entry.getKey() + " is now " + entry.getValue())
              .collect(Collectors.joining(", "));
      warn.accept(
          file.first(),
          "this file uses old names of settings, the first one here: %s; the old names stay valid"
              .formatted(names));
    }
  }
}
