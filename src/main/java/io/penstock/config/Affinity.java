package io.penstock.config;

import io.penstock.endpoint.EndpointSpec;
import java.util.Map;

/** Rule that keeps related requests on one upstream: none, key, {@code header:NAME} or auto. */
record Affinity() implements Shape.OfScalar<EndpointSpec.Affinity> {
  private static final String NONE = "none";
  private static final String KEY = "key";
  private static final String HEADER = "header:";
  private static final String AUTO = "auto";

  @Override
  public String expected() {
    return "none, key, header:NAME or auto";
  }

  @Override
  public Parsed<EndpointSpec.Affinity> parse(Scalar scalar, Source source) {
    return switch (scalar.text()) {
      case NONE -> new Parsed.Good<>(new EndpointSpec.Affinity.None());
      case KEY -> new Parsed.Good<>(new EndpointSpec.Affinity.Key());
      case AUTO -> new Parsed.Good<>(new EndpointSpec.Affinity.Auto());
      case String text when text.startsWith(HEADER) ->
          header(scalar, text.substring(HEADER.length()));
      default -> bad(scalar);
    };
  }

  private static Parsed<EndpointSpec.Affinity> header(Scalar scalar, String name) {
    return Headers.NAME.matcher(name).matches()
        ? new Parsed.Good<>(new EndpointSpec.Affinity.Header(name))
        : new Parsed.Bad<>(
            "is " + scalar.shown() + ", expected the name of a header, as in header:X-Team");
  }

  @Override
  public Object show(EndpointSpec.Affinity value) {
    return switch (value) {
      case EndpointSpec.Affinity.None none -> NONE;
      case EndpointSpec.Affinity.Key key -> KEY;
      case EndpointSpec.Affinity.Header(String name) -> HEADER + name;
      case EndpointSpec.Affinity.Auto auto -> AUTO;
    };
  }

  @Override
  public Map<String, Object> schema() {
    String header = HEADER + Headers.NAME.pattern();
    return Shape.orVariable(
        Shape.keywords("type", "string", "pattern", "^(none|key|auto|" + header + ")$"));
  }
}
