package io.penstock.operator;

import io.penstock.config.KeyTermsJson;
import io.penstock.config.KeyTermsJson.Unclear;
import io.penstock.key.KeyRegistry;
import io.penstock.key.KeySecrets;
import io.penstock.key.KeySpec;
import io.penstock.key.KeyTerms;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads and checks the bodies of requests about keys. */
final class KeyRequest {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@+:-]{0,99}");
  private static final String SHA256 = "sha256";
  private static final String OVERLAP = "overlap_seconds";
  private static final long DAY_SECONDS = 86_400;
  private static final long LONGEST_OVERLAP_SECONDS = 90 * DAY_SECONDS;

  /**
   * A key to create.
   *
   * @param secret the new secret, which is shown only once; null if the caller chose the secret
   */
  record Made(KeySpec key, @Nullable String secret) {}

  private KeyRequest() {}

  /**
   * Reads a key to create.
   *
   * @throws Unclear if the body does not describe a valid key
   */
  static Made key(byte[] json, KeyRegistry keyRegistry, long unixMillis) {
    ObjectNode asked = object(json);
    JsonNode given = asked.get("name");
    String name = given != null && given.isString() ? given.stringValue() : "";
    if (!NAME.matcher(name).matches()) {
      throw new Unclear(
          "name is expected to be 1 to 100 letters, digits, or any of . _ @ + : -, a letter or"
              + " digit first");
    }
    asked.remove("name");
    String sha256 = sha256(asked);
    String secret = sha256 == null ? KeySecrets.make() : null;
    KeySpec.Secret known =
        new KeySpec.Secret(
            secret == null ? String.valueOf(sha256) : KeySecrets.sha256(secret), KeySpec.NEVER);
    KeyTerms terms = check(asked, keyRegistry);
    if (terms.expiresAtMillis() <= unixMillis) {
      throw new Unclear("expires_at is past, expected an instant to come");
    }
    return new Made(new KeySpec(name, List.of(known), terms), secret);
  }

  private static @Nullable String sha256(ObjectNode asked) {
    JsonNode given = asked.remove(SHA256);
    if (given == null || given.isNull()) {
      return null;
    }
    String text = given.isString() ? given.stringValue() : "";
    if (!text.matches("[0-9a-f]{64}")) {
      throw new Unclear(
          "sha256 is expected to be 64 lower-case hexadecimal digits, or to be left out for a new"
              + " secret");
    }
    return text;
  }

  /** Reads changes of a key's terms. */
  static ObjectNode terms(byte[] json) {
    ObjectNode asked = object(json);
    if (asked.has("name") || asked.has(SHA256)) {
      throw new Unclear("name and sha256 stay as they are: make another key, or rotate this one");
    }
    return asked;
  }

  /**
   * Returns the terms of a new key that states them.
   *
   * @throws Unclear if they are not valid for a key
   */
  static KeyTerms check(ObjectNode asked, KeyRegistry keyRegistry) {
    KeyTerms terms = KeyTermsJson.changed(KeyTerms.PLAIN, asked);
    if (terms.group() != null && !keyRegistry.hasGroup(terms.group())) {
      throw new Unclear("group is expected to be one that route files have");
    }
    return terms;
  }

  /** Reads how long the previous secret stays valid; one day if the body does not say. */
  static long overlapMillis(byte[] json) {
    if (json.length == 0) {
      return DAY_SECONDS * 1_000;
    }
    ObjectNode asked = object(json);
    if (!Set.of(OVERLAP).containsAll(asked.propertyNames())) {
      throw new Unclear("only overlap_seconds is understood here");
    }
    JsonNode given = asked.get(OVERLAP);
    if (given == null || given.isNull()) {
      return DAY_SECONDS * 1_000;
    }
    boolean good = given.isIntegralNumber() && given.canConvertToLong();
    if (!good || given.longValue() < 0 || given.longValue() > LONGEST_OVERLAP_SECONDS) {
      throw new Unclear(
          "overlap_seconds is expected to be a whole number from 0 to " + LONGEST_OVERLAP_SECONDS);
    }
    return given.longValue() * 1_000;
  }

  private static ObjectNode object(byte[] json) {
    JsonNode parsed = OperatorJson.parsed(json);
    if (parsed == null) {
      throw new Unclear("the body is not JSON, expected an object that has each member once");
    }
    if (parsed instanceof ObjectNode object) {
      return object;
    }
    throw new Unclear("a JSON object is expected");
  }
}
