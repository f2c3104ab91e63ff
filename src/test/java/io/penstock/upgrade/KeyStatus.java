package io.penstock.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.Message;
import io.penstock.fake.PatientWaits;
import tools.jackson.databind.json.JsonMapper;

/** Reads what a key has left at a gateway; to ask does not spend. */
final class KeyStatus {
  private KeyStatus() {}

  /** Returns what the first limit of a key lets pass now. */
  static long remaining(JarGateway gateway, String key) {
    Message answer = gateway.ask(key, "/v1/penstock/status");
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return JsonMapper.shared()
        .readTree(answer.text())
        .required("limits")
        .required(0)
        .required("remaining")
        .asLong();
  }

  /** Waits until a gateway says that a key has exactly so much left. */
  static void awaitRemaining(JarGateway gateway, String key, long remaining) {
    PatientWaits.await("told to " + gateway.name())
        .until(() -> remaining(gateway, key) == remaining);
  }
}
