package io.penstock.config.shape;

import io.penstock.endpoint.EndpointSpec;
import java.util.Map;

/**
 * Rule that keeps related requests on one upstream: none, key, {@code header:NAME}, auto or prefix.
 */
public record AffinitySetting() implements ValueShape.OfScalar<EndpointSpec.Affinity> {
  private static final String NONE = "none";
  private static final String KEY = "key";
  private static final String HEADER = "header:";
  private static final String AUTO = "auto";
  private static final String PREFIX = "prefix";

  @Override
  public String expected() {
    return "none, key, header:NAME, auto or prefix";
  }

  @Override
  public ParsedValue<EndpointSpec.Affinity> parse(ScalarValue scalar, SourceFile source) {
    return switch (scalar.text()) {
      case NONE -> new ParsedValue.Good<>(new EndpointSpec.Affinity.None());
      case KEY -> new ParsedValue.Good<>(new EndpointSpec.Affinity.Key());
      case AUTO -> new ParsedValue.Good<>(new EndpointSpec.Affinity.Auto());
      case PREFIX -> new ParsedValue.Good<>(new EndpointSpec.Affinity.Prefix());
      case String text when text.startsWith(HEADER) ->
          header(scalar, text.substring(HEADER.length()));
      default -> bad(scalar);
    };
  }

  private static ParsedValue<EndpointSpec.Affinity> header(ScalarValue scalar, String name) {
    return HeadersSetting.NAME.matcher(name).matches()
        ? new ParsedValue.Good<>(new EndpointSpec.Affinity.Header(name))
        : new ParsedValue.Bad<>(
            "is " + scalar.shown() + ", expected the name of a header, as in header:X-Team");
  }

  @Override
  public Object show(EndpointSpec.Affinity value) {
    return switch (value) {
      case EndpointSpec.Affinity.None none -> NONE;
      case EndpointSpec.Affinity.Key key -> KEY;
      case EndpointSpec.Affinity.Header(String name) -> HEADER + name;
      case EndpointSpec.Affinity.Auto auto -> AUTO;
      case EndpointSpec.Affinity.Prefix prefix -> PREFIX;
    };
  }

  @Override
  public Map<String, Object> schema() {
    String header = HEADER + HeadersSetting.NAME.pattern();
    return ValueShape.orVariable(
        ValueShape.keywords(
            "type", "string", "pattern", "^(none|key|auto|prefix|" + header + ")$"));
  }
}
