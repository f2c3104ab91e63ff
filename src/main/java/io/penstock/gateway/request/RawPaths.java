package io.penstock.gateway.request;

import io.penstock.endpoint.EndpointSpec;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.UriUtils;

/** Checks and cuts paths of requests, raw: percent-encoded as they came. */
public final class RawPaths {
  /** Characters after which a server may not look for the name of a call. */
  private static final String PARAMETERS = ";?#";

  /** Characters of which a path in the comparable spelling has none. */
  private static final String UNCERTAIN = PARAMETERS + "%\\ ";

  private static final char DELETE = 0x7f;

  /**
   * The character that stands for bytes that are not UTF-8, such as an overlong form of a dot: some
   * servers read the dot, others something else.
   */
  private static final char UNREADABLE = '\uFFFD';

  /** Length of an escape such as {@code %2F}. */
  private static final int ESCAPE = 3;

  private static final Pattern BLURS = Pattern.compile("(?i)%2f|%5c");

  private RawPaths() {}

  /** Returns why a path is not served at any endpoint, or null if it may be. */
  public static @Nullable String fault(String path) {
    if (climbs(path)) {
      return "the path has a dotted segment";
    }
    String resolved = resolved(path);
    if (hidesControls(path, resolved)) {
      return "the path has an escaped control character";
    }
    return escapes(path) && resolved.indexOf(UNREADABLE) >= 0
        ? "the path has escapes that are not valid UTF-8"
        : null;
  }

  /**
   * Returns whether a path has a segment that an upstream could take for a way up: also one that is
   * escaped more than once, has parameters such as {@code ..;x}, ends in a space, or is written in
   * other characters that stand for dots.
   */
  private static boolean climbs(String path) {
    if (path.indexOf('.') < 0 && !escapes(path)) {
      return false;
    }
    for (String segment : segments(path)) {
      String bare = withoutParameters(segment).strip();
      if (bare.equals(".") || bare.equals("..")) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether a path has an escaped control character, which no path needs; it may be escaped
   * more than once.
   */
  private static boolean hidesControls(String path, String resolved) {
    return escapes(path) && resolved.chars().anyMatch(c -> c < ' ' || c == DELETE);
  }

  /**
   * Returns whether a path has an escaped slash or backslash, which some servers take for the end
   * of a segment and others do not.
   */
  public static boolean blurs(String path) {
    return escapes(path) && BLURS.matcher(path).find();
  }

  /**
   * Returns whether a path has escapes. Most paths do not, so this quick check saves running the
   * expressions on each request.
   */
  private static boolean escapes(String path) {
    return path.indexOf('%') >= 0;
  }

  /**
   * Returns the part below the configured endpoint, as it came, starting with a slash, or empty.
   * The endpoint's own part may be written differently than it is configured, but has as many
   * segments.
   */
  public static String below(EndpointSpec spec, String path) {
    String configured = spec.entry().path();
    if (configured.length() == 1) {
      return path;
    }
    int at = 0;
    for (int slash = 0; slash >= 0; slash = configured.indexOf('/', slash + 1)) {
      at = segmentEnd(path, at);
    }
    return path.substring(at);
  }

  /** Returns where the first segment at or after {@code from} ends; extra slashes are skipped. */
  private static int segmentEnd(String path, int from) {
    int start = from;
    while (start < path.length() && path.charAt(start) == '/') {
      start++;
    }
    int end = path.indexOf('/', start);
    return end < 0 ? path.length() : end;
  }

  /** Returns a path with its escapes resolved once. */
  public static String decoded(String path) {
    return !escapes(path) ? path : UriUtils.decode(path, StandardCharsets.UTF_8);
  }

  /**
   * Returns a path in the one spelling in which calls are compared, because a call must not escape
   * its limits by another spelling that some server reads in the same way: all escapes are
   * resolved, backslashes are slashes, and segments have neither parameters such as {@code ;x} nor
   * spaces around them nor dots at their end. Empty segments are left out.
   */
  static String comparable(String path) {
    if (isPlain(path)) {
      return path;
    }
    StringBuilder comparable = new StringBuilder(path.length());
    for (String segment : segments(path)) {
      String bare = withoutDots(withoutParameters(segment));
      if (!bare.isEmpty()) {
        comparable.append('/').append(bare);
      }
    }
    return comparable.toString();
  }

  /**
   * Returns the same spelling with parameters kept, or null if the path has none. A parameter in
   * the middle of a segment could hide the call that follows it, as in {@code m;x:generateContent}.
   */
  static @Nullable String comparableWithParameters(String path) {
    if (!escapes(path) && path.indexOf(';') < 0) {
      return null;
    }
    StringBuilder kept = new StringBuilder(path.length());
    boolean has = false;
    for (String segment : segments(path)) {
      has |= segment.length() != withoutParameters(segment).length();
      String bare = withoutDots(segment);
      kept.append(bare.isEmpty() ? "" : "/").append(bare);
    }
    return has ? kept.toString() : null;
  }

  /** Returns whether a path is surely in the comparable spelling already, as nearly all are. */
  private static boolean isPlain(String path) {
    char before = '/';
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c == '/' ? i > 0 && (before == '/' || before == '.') : UNCERTAIN.indexOf(c) >= 0) {
        return false;
      }
      before = c;
    }
    return path.isEmpty() || (path.charAt(0) == '/' && before != '/' && before != '.');
  }

  private static String[] segments(String path) {
    // some servers take "\uFF0F" and "\u2025" for "/" and ".."
    String plain = Normalizer.normalize(resolved(path), Normalizer.Form.NFKC);
    return plain.replace('\\', '/').split("/", -1);
  }

  private static String withoutParameters(String segment) {
    for (int i = 0; i < segment.length(); i++) {
      if (PARAMETERS.indexOf(segment.charAt(i)) >= 0) {
        return segment.substring(0, i);
      }
    }
    return segment;
  }

  private static String withoutDots(String segment) {
    int end = segment.length();
    while (end > 0 && (segment.charAt(end - 1) == '.' || segment.charAt(end - 1) == ' ')) {
      end--;
    }
    return segment.substring(0, end).strip();
  }

  /**
   * Returns a path with its escapes resolved, however often it was escaped; what is no escape stays
   * as it is. Takes time in proportion to the length: each resolved byte may complete an escape
   * that is resolved at once.
   */
  private static String resolved(String path) {
    if (!escapes(path)) {
      return path;
    }
    byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
    int length = 0;
    for (byte each : bytes) {
      bytes[length++] = each;
      while (length >= ESCAPE && bytes[length - ESCAPE] == '%') {
        int high = Character.digit(bytes[length - 2], 16);
        int low = Character.digit(bytes[length - 1], 16);
        if (high < 0 || low < 0) {
          break;
        }
        length -= ESCAPE;
        bytes[length++] = (byte) (high << 4 | low);
      }
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  /** Returns the path to request at an upstream. */
  public static String forwarded(EndpointSpec spec, String path) {
    return spec.forwarding().stripPrefix() ? below(spec, path) : path;
  }
}
