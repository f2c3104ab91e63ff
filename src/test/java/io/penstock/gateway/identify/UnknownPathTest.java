package io.penstock.gateway.identify;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.provider.DialectName;
import io.penstock.provider.ProviderProtocol;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.converter.ConvertWith;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpMethod;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;

/** Tests of the answers to requests whose path no endpoint has. */
class UnknownPathTest {
  private static MockServerHttpRequest post(String path, String header, String value) {
    return MockServerHttpRequest.method(HttpMethod.POST, "http://gateway" + path)
        .header(header, value)
        .build();
  }

  private static EndpointSpec endpoint(String path, Dialect dialect) {
    return EndpointFixture.none(path)
        .reading(EndpointSetup.reading(dialect, CostSource.QUERY, 1, 256, 1_000))
        .spec();
  }

  @ParameterizedTest
  @CsvSource({
    "/v1beta/models/x:generateContent, accept, a, GEMINI",
    "/v1beta/models/x:streamGenerateContent, accept, a, GEMINI",
    "/models, x-goog-api-key, k, GEMINI",
    "/v1/messages, x-api-key, k, ANTHROPIC",
    "/v1/messages/count_tokens, accept, a, ANTHROPIC",
    "/v1/models, anthropic-version, 2023-06-01, ANTHROPIC",
    "/openai/deployments/d/chat/completions, api-key, k, AZURE",
    "/v1/chat/completions, accept, a, OPENAI",
    "/chat/completions, accept, a, OPENAI",
    "/v1/responses, accept, a, OPENAI",
    "/v1/embeddings, accept, a, OPENAI",
    "/v1/models, Authorization, Bearer k, OPENAI",
    "/v1/files, X-Stainless-Lang, python, OPENAI",
    "/nowhere, accept, a, NONE",
    "/nowhere, Authorization, Basic k, NONE",
  })
  void pathAndHeaders_revealTheDialect(
      String path,
      String header,
      String value,
      @ConvertWith(DialectName.class) ProviderProtocol dialect) {
    assertThat(UnknownPath.dialect(post(path, header, value))).isEqualTo(dialect);
  }

  @Test
  void refusal_namesTheNearestEndpointsOfTheDialect_andHowABaseUrlLooks() {
    Refusal refusal =
        UnknownPath.refusal(
            post("/opnai/v1/chat/completions", "Authorization", "Bearer k"),
            Stream.of(
                endpoint("/a", DialectTable.OPENAI),
                endpoint("/claude", DialectTable.ANTHROPIC),
                endpoint("/openai", DialectTable.OPENAI)));
    assertThat(refusal)
        .isEqualTo(
            Refusal.of(
                RefusalReason.NO_ENDPOINT,
                "Invalid URL (POST /opnai/v1/chat/completions): no endpoint has this path."
                    + " Endpoints that speak this dialect: /a, /openai. A base URL is the address"
                    + " of the gateway, the path of an endpoint, and /v1, such as"
                    + " http://HOST:PORT/openai/v1"));
  }

  @Test
  void nobodyKnowsTheDialect_theRefusalSaysOnlyThatThereIsNoSuchPath() {
    Refusal refusal =
        UnknownPath.refusal(
            post("/nowhere", "accept", "a"), Stream.of(endpoint("/openai", DialectTable.OPENAI)));
    assertThat(refusal.detail()).isEqualTo("no endpoint has this path");
  }
}
