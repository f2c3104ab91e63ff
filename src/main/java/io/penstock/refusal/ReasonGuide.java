package io.penstock.refusal;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Properties;

/**
 * The meaning of a reason of a refusal, in sentences for people; Markdown marks names as code.
 *
 * @param when when requests are refused with it
 * @param client what the client should do
 * @param operator what the operator can do
 */
public record ReasonGuide(String when, String client, String operator) {
  /** Texts by the code of a reason and the name of a component. */
  private static final Properties TEXTS = read();

  private static Properties read() {
    Properties texts = new Properties();
    try (InputStream file =
            Objects.requireNonNull(ReasonGuide.class.getResourceAsStream("reasons.properties"));
        InputStreamReader reader = new InputStreamReader(file, StandardCharsets.UTF_8)) {
      texts.load(reader);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    return texts;
  }

  /** Returns the guide of a reason. */
  public static ReasonGuide of(RefusalReason reason) {
    return new ReasonGuide(text(reason, "when"), text(reason, "client"), text(reason, "operator"));
  }

  private static String text(RefusalReason reason, String what) {
    return Objects.requireNonNull(TEXTS.getProperty(reason.code() + "." + what));
  }
}
