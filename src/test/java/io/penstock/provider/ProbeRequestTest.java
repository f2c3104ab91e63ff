package io.penstock.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.provider.request.RequestReader;
import io.penstock.provider.request.WeighedRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.converter.ConvertWith;
import org.junit.jupiter.params.provider.CsvSource;

class ProbeRequestTest {
  private static EndpointSpec spec(
      String path, Dialect dialect, boolean strip, @Nullable String url, String... models) {
    Map<String, String> names = new HashMap<>();
    for (String model : models) {
      names.put(model, model);
    }
    List<UpstreamSpec> upstreams =
        url == null ? List.of() : List.of(UpstreamSetup.of("u").url(url).models(names).spec());
    return EndpointFixture.none(path)
        .bounds(1, 1, 1)
        .reading(EndpointSetup.reading(dialect, CostSource.BODY, 1, 256, 1 << 20))
        .stripPrefix(strip)
        .to(upstreams)
        .spec();
  }

  @ParameterizedTest
  @CsvSource({
    "OPENAI, /a/v1/chat/completions, https://h.example",
    "OPENAI, /a/chat/completions, https://h.example/v1",
    "OPENAI, /a/chat/completions, https://h.example/api/v1/",
    "AZURE, /a/openai/deployments/m/chat/completions?api-version=2024-10-21, https://h.example",
    "ANTHROPIC, /a/v1/messages, https://h.example",
    "GEMINI, /a/v1beta/models/m:generateContent, https://h.example",
    "GEMINI, /a/models/m:generateContent, https://h.example/v1beta"
  })
  void requestOfEachDialect_isWeighed_andAsksForOneToken(
      @ConvertWith(DialectName.class) ProviderProtocol dialect, String path, String url) {
    EndpointSpec spec = spec("/a", dialect, true, url, "z", "m");
    ProbeRequest probe = ProbeRequest.of(spec, null);
    assertThat(probe.method()).isEqualTo("POST");
    assertThat(probe.path()).isEqualTo(path);
    String below = probe.path().substring(2).replaceAll("\\?.*", "");
    ProviderProtocol providerProtocol = ProviderProtocol.of(dialect);
    assertThat(providerProtocol.weighs("POST", below)).isTrue();
    RequestReader reader = providerProtocol.requestReader(spec.reading(), below);
    byte[] body = String.valueOf(probe.json()).getBytes(StandardCharsets.UTF_8);
    reader.feed(ByteBuffer.wrap(body));
    assertThat(reader.finish())
        .isInstanceOfSatisfying(
            WeighedRequest.Request.class,
            request -> {
              assertThat(request.model()).isEqualTo("m");
              assertThat(request.stream()).isFalse();
            });
    assertThat(probe.json()).contains("1").hasSizeLessThan(150);
  }

  @Test
  void model_isTheOneThatIsAskedFor_elseOneThatIsServed_elseASmallOne() {
    EndpointSpec named = spec("/a", DialectTable.OPENAI, true, "https://h.example", "m");
    EndpointSpec unnamed = spec("/a", DialectTable.OPENAI, true, "https://h.example");
    assertThat(ProbeRequest.of(named, "other").json()).contains("\"model\":\"other\"");
    assertThat(ProbeRequest.of(named, null).json()).contains("\"model\":\"m\"");
    assertThat(ProbeRequest.of(unnamed, null).json()).contains("\"model\":\"gpt-4o-mini\"");
  }

  @Test
  void modelInAPath_isEncoded_andInABodyEscaped() {
    EndpointSpec gemini = spec("/a", DialectTable.GEMINI, true, "https://h.example");
    assertThat(ProbeRequest.of(gemini, "a/b?c").path())
        .isEqualTo("/a/v1beta/models/a%2Fb%3Fc:generateContent");
    EndpointSpec openAi = spec("/", DialectTable.OPENAI, true, "https://h.example");
    assertThat(ProbeRequest.of(openAi, "a\"b").path()).isEqualTo("/v1/chat/completions");
    assertThat(ProbeRequest.of(openAi, "a\"b").json()).contains("\"model\":\"a\\\"b\"");
  }

  @Test
  void prefixThatIsForwarded_hasTheVersionAlready() {
    EndpointSpec spec = spec("/v1", DialectTable.OPENAI, false, "https://h.example", "m");
    assertThat(ProbeRequest.of(spec, null).path()).isEqualTo("/v1/chat/completions");
  }

  @Test
  void permitAndUnknownDialect_areAskedByTheirPath() {
    ProbeRequest plain = new ProbeRequest("GET", "/a", Map.of(), null);
    assertThat(ProbeRequest.of(spec("/a", DialectTable.OPENAI, true, null), null)).isEqualTo(plain);
    assertThat(ProbeRequest.of(spec("/a", DialectTable.NONE, true, "https://h.example"), null))
        .isEqualTo(plain);
  }
}
