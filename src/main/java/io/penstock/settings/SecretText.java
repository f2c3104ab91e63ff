package io.penstock.settings;

import org.jspecify.annotations.Nullable;

/**
 * The text of a setting that is, or may contain, a secret. Neither its own text form nor a message
 * about the setting shows it.
 */
public record SecretText(String value) {
  /** Returns the secret, or null if there is none. */
  public static @Nullable String textOf(@Nullable SecretText secret) {
    return secret == null ? null : secret.value();
  }

  @Override
  public String toString() {
    return "***";
  }
}
