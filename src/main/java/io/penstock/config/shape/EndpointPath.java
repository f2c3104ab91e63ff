package io.penstock.config.shape;

import io.penstock.endpoint.NormalPath;
import java.util.Map;

/** The path of an endpoint, normalised. */
public record EndpointPath() implements ValueShape.OfText {
  private static final int LONGEST = 2048;

  @Override
  public String expected() {
    return "a path such as /openai";
  }

  @Override
  public ParsedValue<String> parse(ScalarValue scalar, SourceFile source) {
    if (!scalar.textual()) {
      return bad(scalar);
    }
    ParsedValue<String> path = normalise(scalar.text());
    return path instanceof ParsedValue.Bad<String>(String problem)
        ? new ParsedValue.Bad<>("is " + scalar.shown() + ", " + problem)
        : path;
  }

  /** Returns the normalised path, or a description of what is wrong with {@code text}. */
  static ParsedValue<String> normalise(String text) {
    if (text.startsWith("/") && text.length() > LONGEST) {
      return tooLong();
    }
    return switch (NormalPath.of(text)) {
      case NormalPath.Bad(String problem) -> new ParsedValue.Bad<>(problem);
      case NormalPath.Good(String path) ->
          path.length() > LONGEST ? tooLong() : new ParsedValue.Good<>(path);
    };
  }

  private static ParsedValue<String> tooLong() {
    return new ParsedValue.Bad<>("which is too long, expected at most " + LONGEST + " characters");
  }

  @Override
  public Map<String, Object> schema() {
    return ValueShape.orVariable(
        ValueShape.keywords("type", "string", "pattern", "^/", "maxLength", LONGEST));
  }
}
