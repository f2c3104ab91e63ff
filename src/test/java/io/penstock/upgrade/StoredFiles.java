package io.penstock.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.HttpMessage;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A budget and its usage, which a gateway keeps in its state file, and a key that may be stored in
 * a file: data that one jar writes and the other reads at the same place.
 *
 * @param key the secret of a key that is used for nothing else
 * @param keyName its name
 */
record StoredFiles(String key, String keyName) {
  /** The path of an endpoint that releases {@link #TOKENS} in a day. */
  static final String PATH = "/budget";

  static final long TOKENS = 100;
  private static final long SPENT = 60;

  /** Returns the endpoint, as a line of a route file. */
  static String endpoint() {
    return "{path: %s, algorithm: token_window, tokens_per_window: %d, window_seconds: 86400,"
            .formatted(PATH, TOKENS)
        + " sharing: local}";
  }

  /** Uses a part of the budget, and returns the usage reported by the gateway. */
  List<Long> spend(JarGateway gateway) {
    assertThat(gateway.ask(key, PATH + "?tokens=" + SPENT).status()).isEqualTo(200);
    return usage(gateway);
  }

  /** Fails unless the gateway knows the exact usage, and then uses the rest. */
  void verify(JarGateway gateway, List<Long> usageBefore) {
    assertThat(usage(gateway)).as("usage at %s", gateway.name()).isEqualTo(usageBefore);
    long left = TOKENS - SPENT;
    HttpMessage tooMuch = gateway.ask(key, PATH + "?timeout=1&tokens=" + (left + 1));
    assertThat(tooMuch.status()).as("more than is left at %s", gateway.name()).isEqualTo(429);
    HttpMessage rest = gateway.ask(key, PATH + "?timeout=1&tokens=" + left);
    assertThat(rest.status()).as("what is left at %s", gateway.name()).isEqualTo(200);
  }

  private List<Long> usage(JarGateway gateway) {
    HttpMessage answer = gateway.operator("GET", "/usage?group_by=key", "");
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    for (JsonNode row : JsonMapper.shared().readTree(answer.text()).required("rows")) {
      if (row.required("key").asString().equals(keyName)) {
        return List.of(
            row.required("requests").asLong(),
            row.required("input_tokens").asLong(),
            row.required("output_tokens").asLong());
      }
    }
    throw new AssertionError(gateway.name() + " knows no usage of " + keyName);
  }
}
