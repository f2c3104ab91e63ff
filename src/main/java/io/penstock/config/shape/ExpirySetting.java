package io.penstock.config.shape;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * An RFC 3339 instant, or a date, which means its first instant in UTC; converted to Unix
 * milliseconds.
 */
public record ExpirySetting() implements ValueShape.OfScalar<Long> {
  private static final Pattern DATE = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}");
  private static final Pattern INSTANT =
      Pattern.compile(
          DATE.pattern()
              + "[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})");

  @Override
  public String expected() {
    return "an instant such as 2027-01-31T12:00:00Z, or a date";
  }

  @Override
  public ParsedValue<Long> parse(ScalarValue scalar, SourceFile source) {
    String text = scalar.text();
    if (!scalar.textual()) {
      return bad(scalar);
    }
    try {
      if (DATE.matcher(text).matches()) {
        return good(LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant());
      }
      return INSTANT.matcher(text).matches()
          ? good(OffsetDateTime.parse(text.replace(' ', 'T')).toInstant())
          : bad(scalar);
    } catch (DateTimeException noSuchDay) {
      return bad(scalar);
    }
  }

  private static ParsedValue<Long> good(Instant instant) {
    return new ParsedValue.Good<>(instant.toEpochMilli());
  }

  @Override
  public Object show(Long value) {
    return Instant.ofEpochMilli(value).toString();
  }

  @Override
  public Map<String, Object> schema() {
    String pattern = "^(" + DATE.pattern() + "|" + INSTANT.pattern() + ")$";
    return ValueShape.orVariable(ValueShape.keywords("type", "string", "pattern", pattern));
  }
}
