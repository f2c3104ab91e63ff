package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.HttpMessage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that a maximum which agents state by default is no expectation, where the provider counts
 * output as it is produced. The upstreams have the limits of tokens of a new account of Anthropic.
 */
class ExpectedOutputIT extends HostileCase {
  private static final int TURNS = 20;

  @Override
  String routes() {
    StringBuilder routes = new StringBuilder("endpoints:\n");
    for (String charge : new String[] {"anthropic", "gemini", "total"}) {
      routes.append(
          """
            - path: /%1$s
              dialect: anthropic
              queue_timeout: 2
              upstreams:
                - id: of-%1$s
                  url: mock://anthropic?tokens=40
                  charge: %1$s
                  itpm: 30000
                  otpm: 8000
          """
              .formatted(charge));
    }
    return routes.toString();
  }

  /** A turn is refused if it would wait for longer than 2 s. */
  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "gemini", "total"})
  void smallTurnsOfAnAgent_hardlyWait_whileNothingIsKnown(String charge) {
    for (int turn = 0; turn < TURNS; turn++) {
      HttpMessage answer =
          post(
              "/" + charge + "/v1/messages",
              "{\"model\":\"claude\",\"max_tokens\":64000,\"messages\":"
                  + "[{\"role\":\"user\",\"content\":\"turn %d\"}]}".formatted(turn));
      assertThat(answer.status()).as("turn %d: %s", turn, answer.text()).isEqualTo(200);
    }
  }
}
