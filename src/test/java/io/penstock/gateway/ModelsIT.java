package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.HttpMessage;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests that the gateway answers which models there are if it knows them, and an upstream does
 * otherwise.
 */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class ModelsIT extends HostileCase {
  @Override
  String routes() {
    String two =
        """
            upstreams:
              - {id: ID1, url: "%1$s", models: [one, two]}
              - {id: ID2, url: "%1$s", models: {two: own-two, alias: own-name}}
              - {id: ID3, url: "%1$s", api_key: "${UNSET_CREDENTIAL}", models: [nobody]}
        """;
    return """
    endpoints:
      - path: /openai
        dialect: openai
    """
        + two.replace("ID", "o")
        + """
          - path: /anthropic
            dialect: anthropic
        """
        + two.replace("ID", "a")
        + """
          - path: /gemini
            dialect: gemini
        """
        + two.replace("ID", "g")
        + """
          - path: /any
            dialect: openai
            upstreams:
              - {id: n1, url: "%1$s", models: [one]}
              - {id: n2, url: "%1$s"}
          - path: /unusable
            dialect: openai
            upstreams:
              - {id: u1, url: "%1$s", models: [one]}
              - {id: u2, url: "%1$s", api_key: "${UNSET_CREDENTIAL}"}
        """;
  }

  private HttpMessage get(String path) {
    return ask("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
  }

  private HttpMessage answeredHere(String path) {
    HttpMessage answer = get(path);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("content-type")).isEqualTo("application/json");
    assertThat(answer.header("x-penstock-upstream")).isNull();
    assertThat(answer.header("x-request-id")).isNotBlank();
    assertThat(answer.text()).doesNotContain("own-", "nobody");
    return answer;
  }

  @Test
  void openAi_isTheUnionOfNamesAndAliases() {
    assertThat(answeredHere("/openai/v1/models").text())
        .startsWith("{\"object\":\"list\",\"data\":[{\"id\":\"alias\",\"object\":\"model\",")
        .containsOnlyOnce("\"id\":\"one\"")
        .containsOnlyOnce("\"id\":\"two\"");
  }

  @Test
  void anthropic_isTheUnionOfNamesAndAliases() {
    assertThat(answeredHere("/anthropic/v1/models").text())
        .startsWith("{\"data\":[{\"type\":\"model\",\"id\":\"alias\",")
        .containsOnlyOnce("\"id\":\"one\"")
        .containsOnlyOnce("\"id\":\"two\"")
        .endsWith("\"has_more\":false,\"first_id\":\"alias\",\"last_id\":\"two\"}");
  }

  @Test
  void gemini_isTheUnionOfNamesAndAliases() {
    assertThat(answeredHere("/gemini/v1beta/models").text())
        .isEqualTo(
            "{\"models\":[{\"name\":\"models/alias\",\"displayName\":\"alias\"},"
                + "{\"name\":\"models/one\",\"displayName\":\"one\"},"
                + "{\"name\":\"models/two\",\"displayName\":\"two\"}]}");
  }

  @Test
  void upstreamThatTakesAnyModel_isAsked() throws InterruptedException {
    HttpMessage answer = get("/any/v1/models");
    assertThat(answer.text()).isEqualTo("{}");
    assertThat(answer.header("x-penstock-upstream")).isNotBlank();
    assertThat(upstream.received().target()).isEqualTo("/v1/models");
  }

  @Test
  void upstreamThatIsNotInUse_countsForNothing() {
    assertThat(answeredHere("/unusable/v1/models").text()).contains("\"id\":\"one\"");
  }

  @Test
  void oneModelOfThem_isDescribedHere_alsoUnderItsAlias() {
    assertThat(answeredHere("/openai/v1/models/alias").text())
        .isEqualTo(
            "{\"id\":\"alias\",\"object\":\"model\",\"created\":0,\"owned_by\":\"penstock\"}");
    assertThat(answeredHere("/anthropic/v1/models/alias").text())
        .isEqualTo(
            "{\"type\":\"model\",\"id\":\"alias\",\"display_name\":\"alias\","
                + "\"created_at\":\"1970-01-01T00:00:00Z\"}");
    assertThat(answeredHere("/gemini/v1beta/models/alias").text())
        .isEqualTo("{\"name\":\"models/alias\",\"displayName\":\"alias\"}");
    assertThat(answeredHere("/openai/v1/models/one").text()).contains("\"id\":\"one\"");
  }

  @Test
  void modelThatNoUpstreamServes_isNotFound() {
    for (String path : List.of("/openai/v1", "/anthropic/v1", "/gemini/v1beta")) {
      HttpMessage answer = get(path + "/models/other");
      refused(answer, 404, "no_upstream_for_model");
      assertThat(answer.text()).contains("other");
    }
  }

  @Test
  void upstreamThatTakesAnyModel_isAskedForThoseThatNobodyLists() throws InterruptedException {
    assertThat(answeredHere("/any/v1/models/one").text()).contains("\"id\":\"one\"");
    assertThat(get("/any/v1/models/other").text()).isEqualTo("{}");
    assertThat(upstream.received().target()).isEqualTo("/v1/models/other");
  }
}
