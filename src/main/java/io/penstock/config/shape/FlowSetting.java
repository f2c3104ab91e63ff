package io.penstock.config.shape;

import io.penstock.endpoint.EndpointSpec.FairBy;
import java.util.Map;

/**
 * The criterion that separates the flows of a fair order: {@code key}, {@code header:NAME}, {@code
 * body:user}.
 */
public record FlowSetting() implements ValueShape.OfScalar<FairBy> {
  private static final String KEY = "key";
  private static final String HEADER = "header:";
  private static final String BODY_USER = "body:user";

  @Override
  public String expected() {
    return "key, header:NAME or body:user";
  }

  @Override
  public ParsedValue<FairBy> parse(ScalarValue scalar, SourceFile source) {
    String text = scalar.text();
    if (text.equals(KEY)) {
      return new ParsedValue.Good<>(new FairBy.Key());
    }
    if (text.equals(BODY_USER)) {
      return new ParsedValue.Good<>(new FairBy.BodyUser());
    }
    if (!text.startsWith(HEADER)) {
      return bad(scalar);
    }
    String name = text.substring(HEADER.length());
    return HeadersSetting.NAME.matcher(name).matches()
        ? new ParsedValue.Good<>(new FairBy.Header(name))
        : new ParsedValue.Bad<>(
            "is " + scalar.shown() + ", expected the name of a header, as in header:X-Team");
  }

  @Override
  public Object show(FairBy value) {
    return switch (value) {
      case FairBy.Key key -> KEY;
      case FairBy.Header(String name) -> HEADER + name;
      case FairBy.BodyUser user -> BODY_USER;
    };
  }

  @Override
  public Map<String, Object> schema() {
    String header = HEADER + HeadersSetting.NAME.pattern();
    return ValueShape.orVariable(
        ValueShape.keywords("type", "string", "pattern", "^(key|body:user|" + header + ")$"));
  }
}
