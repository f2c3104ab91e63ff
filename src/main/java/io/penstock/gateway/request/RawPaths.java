package io.penstock.gateway.request;

import io.penstock.endpoint.EndpointSpec;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.springframework.web.util.UriUtils;

/** Checks and cuts paths of requests, raw: percent-encoded as they came. */
public final class RawPaths {
  private static final Pattern DOTS =
      Pattern.compile("(?i)(^|/|%2f|%5c|\\\\)(\\.|%2e){1,2}(/|%2f|%5c|\\\\|$)");

  private static final Pattern CONTROLS = Pattern.compile("(?i)%([01][0-9a-f]|7f)");

  private static final Pattern BLURS = Pattern.compile("(?i)%2f|%5c");

  private RawPaths() {}

  /** Returns whether a path has a segment that an upstream could take for a way up. */
  public static boolean climbs(String path) {
    return (path.indexOf('.') >= 0 || escapes(path)) && DOTS.matcher(path).find();
  }

  /** Returns whether a path has an escaped control character, which no path needs. */
  public static boolean hidesControls(String path) {
    return escapes(path) && CONTROLS.matcher(path).find();
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
    String configured = spec.configuredPath();
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

  /**
   * Returns a path as providers read it, with escapes resolved: a call must not escape its limits
   * by another spelling.
   */
  public static String decoded(String path) {
    return !escapes(path) ? path : UriUtils.decode(path, StandardCharsets.UTF_8);
  }

  /** Returns the path to request at an upstream. */
  public static String forwarded(EndpointSpec spec, String path) {
    return spec.forwarding().stripPrefix() ? below(spec, path) : path;
  }
}
