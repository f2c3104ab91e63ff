package io.penstock.config.shape;

import java.util.Optional;
import java.util.regex.Pattern;

/** Recognises credentials that stand in a file themselves, where a variable was expected. */
final class WrittenCredential {
  /** Prefixes of the keys of providers and gateways, at the start or behind a space or a colon. */
  private static final Pattern KEY =
      Pattern.compile("(^|[ :])(sk-|sk_|psk_|gsk_|hf_|r8_|xai-|pplx-|nvapi-|AIza)[A-Za-z0-9]");

  /** Names of environment variables, with a dollar sign or with the usual endings. */
  private static final Pattern VARIABLE =
      Pattern.compile("\\$(?<marked>[A-Z][A-Z0-9_]*)|(?<bare>[A-Z][A-Z0-9_]*_(KEY|TOKEN))");

  private WrittenCredential() {}

  /**
   * Returns what is wrong with a value as the file has it, without the value; empty if it may be
   * right.
   */
  static Optional<String> problem(String raw) {
    if (KEY.matcher(raw).find()) {
      return Optional.of(
          "is a key in plain text, which everybody who reads the file then has, expected ${NAME}"
              + " with the key in environment variable NAME");
    }
    var variable = VARIABLE.matcher(raw);
    if (!variable.matches()) {
      return Optional.empty();
    }
    String name =
        variable.group("marked") == null ? variable.group("bare") : variable.group("marked");
    return Optional.of(
        "is the text " + raw + ", which is sent as it stands, expected ${" + name + "}");
  }
}
