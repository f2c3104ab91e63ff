package io.penstock.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dialect.DialectTable;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.pool.UpstreamSetup;
import io.penstock.provider.ProviderProtocol;
import io.penstock.suite.Hostile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpMethod;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;

/** Tests which calls cost nothing, of each provider and in each spelling. */
class ProviderCallTest {
  private static EndpointSetup setup(String dialect) {
    ProviderProtocol protocol =
        DialectTable.ALL.stream()
            .filter(each -> each.text().equals(dialect))
            .findFirst()
            .orElseThrow();
    return EndpointFixture.none("/a")
        .reading(EndpointSetup.reading(protocol, CostSource.BODY, 1, 256, 1_000));
  }

  private static EndpointSpec spec(String dialect) {
    return setup(dialect).to(UpstreamSetup.of("u").spec()).spec();
  }

  private static boolean light(String dialect, String method, String path) {
    return ProviderCall.of(spec(dialect), method, "/a" + path).light();
  }

  @ParameterizedTest
  @CsvSource({
    "openai, HEAD, /",
    "openai, HEAD, ''",
    "openai, HEAD, /v1/chat/completions",
    "openai, GET, /v1/models",
    "openai, GET, /v1/models/",
    "openai, GET, /models",
    "openai, GET, //v1//models",
    "openai, GET, /api/v1/models",
    "openai, GET, /v1/models/gpt-4o",
    "openai, GET, /v1/models/ft:gpt-4o:org::1",
    "openai, GET, /v1/models/meta-llama/Llama-3",
    "openai, GET, /v1/models/gpt%2D4o",
    "openai, POST, /v1/responses/input_tokens",
    "openai, POST, /responses/input_tokens/",
    "openai, POST, /v1/messages/count_tokens",
    "azure, HEAD, /openai/deployments/m/chat/completions",
    "azure, GET, /openai/models",
    "azure, GET, /openai/v1/models",
    "azure, GET, /openai/v1/models/gpt-4o",
    "anthropic, HEAD, /",
    "anthropic, GET, /v1/models",
    "anthropic, GET, /v1/models/claude-haiku-4-5",
    "anthropic, POST, /v1/messages/count_tokens",
    "gemini, HEAD, /v1beta/models/m:generateContent",
    "gemini, GET, /v1beta/models",
    "gemini, GET, /v1beta/models/gemini-2.5-flash",
    "gemini, GET, /models",
    "gemini, GET, /v1beta/openai/models",
    "gemini, POST, /v1beta/models/m:countTokens",
    "gemini, POST, /models/m:countTokens",
    "gemini, POST, /v1/projects/p/locations/l/publishers/google/models/m:countTokens",
    "mistral, HEAD, /v1/models",
    "mistral, GET, /v1/models",
    "mistral, GET, /v1/models/mistral-small-latest",
  })
  void callThatCostsNothing(String dialect, String method, String path) {
    assertThat(light(dialect, method, path)).isTrue();
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource({
    "openai, POST, /v1/models",
    "openai, DELETE, /v1/models/mine",
    "openai, GET, /v1/files",
    "openai, GET, /v1/batches",
    "openai, GET, /v1/files/models",
    "openai, GET, /v1/files/models/content",
    "openai, GET, /v1/responses/models/x",
    "openai, GET, /v1/mymodels",
    "openai, GET, /v1/models;x",
    "openai, GET, /v1/responses/input_tokens",
    "openai, PUT, /v1/responses/input_tokens",
    "openai, OPTIONS, /v1/models",
    "openai, POST, /v1/responses",
    "openai, POST, /v1/responses;/input_tokens",
    "openai, POST, /v1/responses%3F/input_tokens",
    "openai, POST, /v1/responses/input_tokens/x",
    "anthropic, POST, /v1/messages",
    "anthropic, POST, /v1/messages;/count_tokens",
    "anthropic, POST, /v1/messages%23/count_tokens",
    "anthropic, POST, /v1/messages/batches",
    "anthropic, GET, /v1/messages/batches",
    "anthropic, GET, /v1/messages/count_tokens",
    "gemini, POST, /v1beta/models/m:generateContent",
    "gemini, POST, /v1beta/models/m:generateContent;:countTokens",
    "gemini, POST, /v1beta/models/m;:countTokens",
    "gemini, POST, /v1beta/models/m:batchGenerateContent",
    "gemini, GET, /v1beta/files",
    "none, HEAD, /",
    "none, GET, /v1/models",
  })
  void callThatMayCostSomething(String dialect, String method, String path) {
    assertThat(light(dialect, method, path)).isFalse();
  }

  @Test
  void permit_isNever() {
    EndpointSpec permit = setup("openai").spec();
    assertThat(ProviderCall.of(permit, "HEAD", "/a").light()).isFalse();
    assertThat(ProviderCall.of(permit, "GET", "/a/v1/models").light()).isFalse();
  }

  @Test
  void pathOfTheUpstream_doesNotMakeItOne() {
    EndpointSpec spec =
        setup("openai").to(UpstreamSetup.of("u").url("http://u.example/v1/models").spec()).spec();
    assertThat(ProviderCall.of(spec, "GET", "/a/x").light()).isFalse();
    assertThat(ProviderCall.of(spec, "GET", "/a/models").light()).isTrue();
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource({
    "HEAD, /v1/chat/completions, Content-Length, 0, true",
    "HEAD, /v1/chat/completions, Content-Length, 5, false",
    "HEAD, /v1/chat/completions, Transfer-Encoding, chunked, false",
    "GET, /v1/models, Content-Length, 5, false",
    "GET, /v1/models, Upgrade, websocket, false",
    "POST, /v1/responses/input_tokens, Content-Length, 5, true",
    "POST, /v1/responses/input_tokens, Upgrade, websocket, false",
    "POST, /v1/chat/completions, Content-Length, 5, false",
  })
  void bodyWhereNoneBelongs_orAnotherProtocol(
      String method, String path, String header, String value, boolean light) {
    MockServerHttpRequest request =
        MockServerHttpRequest.method(HttpMethod.valueOf(method), "/a" + path)
            .header(header, value)
            .build();
    ProviderCall call = ProviderCall.of(spec("openai"), request);
    assertThat(call.light()).isEqualTo(light);
    assertThat(call.weighed()).isEqualTo(path.endsWith("completions") && method.equals("POST"));
  }
}
