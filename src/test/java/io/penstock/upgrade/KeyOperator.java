package io.penstock.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An operator that creates, changes and revokes keys at one gateway, and checks the effect at
 * another.
 */
final class KeyOperator {
  private KeyOperator() {}

  /** Creates a key and returns its secret. */
  static String make(JarGateway gateway, String name) {
    return create(gateway, name, "\"rpm\":61,\"weight\":3");
  }

  /**
   * Creates a key with so many tokens a day, which are counted together, and returns its secret.
   */
  static String makeWithBudget(JarGateway gateway, String name, int tokens) {
    return create(
        gateway, name, "\"budget_tokens_per_day\":%d,\"sharing\":\"eventual\"".formatted(tokens));
  }

  private static String create(JarGateway gateway, String name, String terms) {
    String key = "{\"name\":\"%s\",%s}".formatted(name, terms);
    return json(gateway.operator("POST", "/keys", key)).required("secret").asString();
  }

  /** Gives a key a new secret, which is returned; the old one becomes invalid at once. */
  static String rotate(JarGateway gateway, String name) {
    HttpMessage answer =
        gateway.operator("POST", "/keys/" + name + "/rotate", "{\"overlap_seconds\":0}");
    return json(answer).required("secret").asString();
  }

  /** Revokes a key. */
  static void revoke(JarGateway gateway, String name) {
    assertThat(gateway.operator("DELETE", "/keys/" + name, "").status()).isEqualTo(204);
  }

  /** Waits until a gateway accepts a secret, or no longer accepts it. */
  static void awaitAccepted(JarGateway gateway, String secret, String path, boolean accepted) {
    PatientWaits.await("accepted by " + gateway.name())
        .until(() -> gateway.ask(secret, path).status() == (accepted ? 200 : 401));
  }

  /** Fails unless a gateway knows a key with its original terms. */
  static void verifyTerms(JarGateway gateway, String name) {
    JsonNode key = json(gateway.operator("GET", "/keys/" + name, ""));
    assertThat(key.required("source").asString()).isEqualTo("store");
    assertThat(key.required("rpm").asLong()).isEqualTo(61);
    assertThat(key.required("weight").asLong()).isEqualTo(3);
  }

  private static JsonNode json(HttpMessage answer) {
    assertThat(answer.status()).as(answer.text()).isBetween(200, 299);
    return JsonMapper.shared().readTree(answer.text());
  }
}
