package io.penstock.config;

import io.penstock.endpoint.NormalPath;
import java.util.Map;

/** The path of an endpoint, normalised. */
record EndpointPath() implements Shape.OfScalar<String> {
  private static final int LONGEST = 2048;

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

  /** Returns the normalised path, or a description of what is wrong with {@code text}. */
  static Parsed<String> normalise(String text) {
    if (text.startsWith("/") && text.length() > LONGEST) {
      return tooLong();
    }
    return switch (NormalPath.of(text)) {
      case NormalPath.Bad(String problem) -> new Parsed.Bad<>(problem);
      case NormalPath.Good(String path) ->
          path.length() > LONGEST ? tooLong() : new Parsed.Good<>(path);
    };
  }

  private static Parsed<String> tooLong() {
    return new Parsed.Bad<>("which is too long, expected at most " + LONGEST + " characters");
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
