package io.penstock.config;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The path of an endpoint, normalised as in RFC 3986 §6.2.2: one slash between segments and none at
 * the end, unreserved characters plain, everything else that needs it in upper-case percent form.
 */
record EndpointPath() implements Shape.OfScalar<String> {
  private static final int LONGEST = 2048;
  private static final String MARKS = "-._~!$&'()*+,;=:@";

  @Override
  public String expected() {
    return "a path such as /openai";
  }

  @Override
  public Parsed<String> parse(Scalar scalar, Source source) {
    if (!scalar.textual()) {
      return bad(scalar);
    }
    Parsed<String> path = normalise(scalar.text());
    return path instanceof Parsed.Bad<String>(String problem)
        ? new Parsed.Bad<>("is " + scalar.shown() + ", " + problem)
        : path;
  }

  /** Returns the normalised path, or what is wrong with {@code text}. */
  static Parsed<String> normalise(String text) {
    if (!text.startsWith("/")) {
      return new Parsed.Bad<>("expected a slash first");
    }
    if (text.length() > LONGEST) {
      return tooLong();
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < bytes.length; i++) {
      int b = bytes[i] & 0xff;
      if (b == '%') {
        int escaped = escaped(bytes, i);
        if (escaped < 0x20 || escaped == 0x7f || escaped == '\\') {
          return new Parsed.Bad<>(
              "which has a bad % escape, expected two hex digits of a character");
        }
        append(path, escaped, unreserved(escaped));
        i += 2;
      } else if (b == '/') {
        if (path.isEmpty() || path.charAt(path.length() - 1) != '/') {
          path.append('/');
        }
      } else if (b == '?' || b == '#') {
        return new Parsed.Bad<>("which has a query or a fragment, expected a path alone");
      } else if (b < 0x80 && !alphanumeric(b) && MARKS.indexOf(b) < 0) {
        return new Parsed.Bad<>(
            "which has a character that a path cannot have, expected it in % form");
      } else {
        append(path, b, b < 0x80);
      }
    }
    return finish(path);
  }

  private static Parsed<String> finish(StringBuilder path) {
    if (path.length() > 1 && path.charAt(path.length() - 1) == '/') {
      path.setLength(path.length() - 1);
    }
    for (String segment : path.substring(1).split("/", -1)) {
      if (segment.equals(".") || segment.equals("..")) {
        return new Parsed.Bad<>("which has a segment of dots, expected the path they lead to");
      }
    }
    return path.length() > LONGEST ? tooLong() : new Parsed.Good<>(path.toString());
  }

  private static Parsed<String> tooLong() {
    return new Parsed.Bad<>("which is too long, expected at most " + LONGEST + " characters");
  }

  /** Returns the byte that the escape at {@code at} stands for, or -1. */
  private static int escaped(byte[] bytes, int at) {
    if (at + 2 >= bytes.length) {
      return -1;
    }
    int high = Character.digit(bytes[at + 1], 16);
    int low = Character.digit(bytes[at + 2], 16);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
  }

  private static void append(StringBuilder path, int b, boolean plain) {
    if (plain) {
      path.append((char) b);
    } else {
      path.append('%')
          .append(Character.toUpperCase(Character.forDigit(b >> 4, 16)))
          .append(Character.toUpperCase(Character.forDigit(b & 15, 16)));
    }
  }

  private static boolean unreserved(int b) {
    return alphanumeric(b) || b == '-' || b == '.' || b == '_' || b == '~';
  }

  private static boolean alphanumeric(int b) {
    return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9');
  }

  @Override
  public Object show(String value) {
    return value;
  }

  @Override
  public Map<String, Object> schema() {
    return Shape.orVariable(
        Shape.keywords("type", "string", "pattern", "^/", "maxLength", LONGEST));
  }
}
