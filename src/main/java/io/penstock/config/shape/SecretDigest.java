package io.penstock.config.shape;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** The SHA-256 of a secret. An invalid value is never shown: it may be the secret itself. */
public record SecretDigest() implements ValueShape.OfScalar<String> {
  private static final Pattern DIGITS = Pattern.compile("[0-9a-fA-F]{64}");

  @Override
  public String expected() {
    return "the SHA-256 of the secret, 64 hexadecimal digits";
  }

  /** Takes the digits as written, because YAML may read a hash as a number. */
  @Override
  public ParsedValue<String> parse(ScalarValue scalar, SourceFile source) {
    if (DIGITS.matcher(scalar.text()).matches()) {
      return new ParsedValue.Good<>(scalar.text().toLowerCase(Locale.ROOT));
    }
    int length = scalar.text().length();
    return new ParsedValue.Bad<>(
        "has %d characters, expected %s; a secret does not belong here, but what %s prints"
            .formatted(length, expected(), "'printf %s SECRET | sha256sum'"));
  }

  @Override
  public Object show(String value) {
    return CredentialSetting.MASK;
  }

  @Override
  public Map<String, Object> schema() {
    return ValueShape.orVariable(
        ValueShape.keywords("type", "string", "pattern", "^" + DIGITS.pattern() + "$"));
  }
}
