package io.penstock.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import tools.jackson.databind.json.JsonMapper;

/** Queries the remaining limits of a key at a gateway; a query costs nothing. */
final class KeyStatus {
  private KeyStatus() {}

  /** Returns the remaining amount of a key's first limit. */
  static long remaining(JarGateway gateway, String key) {
    HttpMessage answer = gateway.ask(key, "/v1/penstock/status");
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return JsonMapper.shared()
        .readTree(answer.text())
        .required("limits")
        .required(0)
        .required("remaining")
        .asLong();
  }

  /** Waits until a gateway reports exactly the given remaining amount of a key. */
  static void awaitRemaining(JarGateway gateway, String key, long remaining) {
    PatientWaits.await("told to " + gateway.name())
        .until(() -> remaining(gateway, key) == remaining);
  }
}
