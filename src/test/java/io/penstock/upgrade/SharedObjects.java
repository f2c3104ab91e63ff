package io.penstock.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.HttpMessage;

/**
 * Objects of the coordination API that two gateways share, under a name of their own.
 *
 * @param key the secret in requests
 * @param name the name of all of them
 */
record SharedObjects(String key, String name) {
  private static final long INTERVAL_MILLIS = 600_000;

  private HttpMessage ask(JarGateway gateway, String kind, String target) {
    return gateway.ask(key, "/v1/" + kind + "/" + name + "/" + target);
  }

  /** Takes the only place of a semaphore and the only token of a bucket, and counts to 5. */
  void take(JarGateway gateway) {
    HttpMessage taken = ask(gateway, "semaphore", "acquire?key=holder&expires=" + INTERVAL_MILLIS);
    assertThat(taken.status()).as(taken.text()).isEqualTo(200);
    assertThat(bucket(gateway)).isEqualTo(204);
    assertThat(ask(gateway, "counter", "count?amount=5").text()).isEqualTo("5");
    assertThat(ask(gateway, "event", "send?message=sent").status()).isEqualTo(204);
  }

  private int bucket(JarGateway gateway) {
    return ask(gateway, "tokenbucket", "acquire?maxwait=0&interval=" + INTERVAL_MILLIS).status();
  }

  private int place(JarGateway gateway, String holder) {
    return ask(gateway, "semaphore", "acquire?maxwait=0&key=" + holder).status();
  }

  /**
   * Fails unless everything taken through another gateway is taken at this one, too; then gives it
   * back.
   */
  void verifyTaken(JarGateway gateway) {
    assertThat(place(gateway, "other")).as("a place is held").isEqualTo(408);
    assertThat(bucket(gateway)).as("a token is taken").isEqualTo(408);
    assertThat(ask(gateway, "counter", "value").text()).isEqualTo("5");
    assertThat(ask(gateway, "event", "wait").text()).isEqualTo("sent");
    assertThat(ask(gateway, "semaphore", "release?key=holder").status()).isEqualTo(204);
    assertThat(place(gateway, "other")).as("the place is free").isEqualTo(200);
  }
}
