package io.penstock.gateway.coordination;

import io.penstock.coordination.ObjectKind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.UriUtils;

/** A request to the coordination API, as far as its path tells. */
sealed interface CoordinationPath {
  /** The longest name of an object, in characters. */
  int MOST_NAME = 256;

  /** The actions of each kind of object. */
  Map<ObjectKind, Set<String>> ACTIONS =
      Map.of(
          ObjectKind.TOKENBUCKET, Set.of("acquire", "stats"),
          ObjectKind.SEMAPHORE, Set.of("acquire", "release", "stats"),
          ObjectKind.EVENT, Set.of("wait", "send", "stats"),
          ObjectKind.WATCHDOG, Set.of("wait", "kick", "stats"),
          ObjectKind.COUNTER, Set.of("count", "value", "reset", "stats"),
          ObjectKind.BARRIER, Set.of("wait", "stats"));

  /** An action on an object. */
  record Action(ObjectKind kind, String name, String action) implements CoordinationPath {}

  /** The object itself. */
  record Itself(ObjectKind kind, String name) implements CoordinationPath {}

  /** The question whether the API is ready. */
  record Ready() implements CoordinationPath {}

  /** A path under which there is nothing. */
  record Nothing() implements CoordinationPath {}

  /** A path that cannot be read. */
  record Bad(String why) implements CoordinationPath {}

  /** Returns whether a raw path belongs to the API, whether or not it can be served. */
  static boolean serves(String rawPath) {
    List<String> segments = segments(rawPath);
    return segments != null && (ready(segments) || kind(segments) != null);
  }

  /** Reads a path that belongs to the API. */
  static CoordinationPath of(String rawPath) {
    List<String> segments = segments(rawPath);
    if (segments == null) {
      return new Bad("the path is not percent-encoded UTF-8");
    }
    if (ready(segments)) {
      return new Ready();
    }
    ObjectKind objectKind = kind(segments);
    int at = versioned(segments) ? 1 : 0;
    if (objectKind == null || segments.size() < at + 2 || segments.size() > at + 3) {
      return new Nothing();
    }
    String name = segments.get(at + 1);
    String fault = fault("name", name, MOST_NAME);
    if (fault == null && name.indexOf('/') >= 0) {
      fault = "name has a slash, expected none";
    }
    if (fault != null) {
      return new Bad(fault);
    }
    if (segments.size() == at + 2) {
      return new Itself(objectKind, name);
    }
    String action = segments.get(at + 2);
    boolean known = ACTIONS.getOrDefault(objectKind, Set.of()).contains(action);
    return known ? new Action(objectKind, name, action) : new Nothing();
  }

  /** Returns what is wrong with a text that a client chose, or null. */
  static @Nullable String fault(String what, String text, int most) {
    if (text.isEmpty()) {
      return what + " is empty, expected 1 to " + most + " characters";
    }
    if (text.length() > most) {
      return what + " has " + text.length() + " characters, expected at most " + most;
    }
    boolean plain = text.codePoints().noneMatch(CoordinationPath::hidden);
    return plain ? null : what + " has a control character, expected none";
  }

  private static boolean hidden(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.UNASSIGNED ->
          true;
      default -> codePoint == '\uFFFD'; // stands for bytes that were not UTF-8
    };
  }

  private static boolean ready(List<String> segments) {
    return segments.equals(List.of(".well-known", "ready"));
  }

  private static boolean versioned(List<String> segments) {
    return !segments.isEmpty() && segments.getFirst().equals("v1");
  }

  private static @Nullable ObjectKind kind(List<String> segments) {
    int at = versioned(segments) ? 1 : 0;
    return segments.size() > at ? ObjectKind.of(segments.get(at)) : null;
  }

  /** Returns the decoded segments without empty ones; null when they cannot be decoded. */
  private static @Nullable List<String> segments(String rawPath) {
    List<String> segments = new ArrayList<>();
    try {
      for (String segment : rawPath.split("/", -1)) {
        if (!segment.isEmpty()) {
          segments.add(UriUtils.decode(segment, StandardCharsets.UTF_8));
        }
      }
      return segments;
    } catch (IllegalArgumentException malformed) {
      return null;
    }
  }
}
