package io.penstock.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.trace.TraceSettings;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.mock.env.MockEnvironment;

class OtlpSettingsTest {
  private static final String OTLP = "management.opentelemetry.tracing.export.otlp.";
  private static final String HERE = "http://127.0.0.1:4318";

  private static MockEnvironment with(Map<String, String> properties) {
    MockEnvironment environment = new MockEnvironment();
    environment.setConversionService(new ApplicationConversionService());
    properties.forEach(environment::setProperty);
    return environment;
  }

  @Test
  void withoutAnEndpoint_thereAreNone() {
    assertThat(OtlpSettings.of(with(Map.of()))).isNull();
    assertThat(OtlpSettings.of(with(Map.of(OTLP + "endpoint", " ")))).isNull();
  }

  @Test
  void defaults() {
    assertThat(OtlpSettings.of(with(Map.of(OTLP + "endpoint", HERE + "/v1/traces"))))
        .isEqualTo(
            new TraceSettings(
                URI.create(HERE + "/v1/traces"),
                Map.of(),
                Duration.ofSeconds(10),
                0.1,
                "penstock"));
  }

  @ParameterizedTest
  @CsvSource({
    "OTEL_EXPORTER_OTLP_ENDPOINT, http://c:4318, http://c:4318/v1/traces",
    "OTEL_EXPORTER_OTLP_ENDPOINT, https://c/otlp/, https://c/otlp/v1/traces",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, http://c:4318/t, http://c:4318/t",
    "management.opentelemetry.tracing.export.otlp.endpoint, http://c/x, http://c/x"
  })
  void endpoint_isNamedInManyWays(String property, String stated, String expected) {
    assertThat(OtlpSettings.of(with(Map.of(property, stated))))
        .extracting(TraceSettings::endpoint)
        .isEqualTo(URI.create(expected));
  }

  @Test
  void others_areAsStated() {
    TraceSettings settings =
        OtlpSettings.of(
            with(
                Map.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT",
                    HERE,
                    "OTEL_EXPORTER_OTLP_HEADERS",
                    "a=b%20c,authorization=Basic x+y==",
                    OTLP + "headers.x-tenant",
                    "t",
                    OTLP + "timeout",
                    "3s",
                    "management.tracing.sampling.probability",
                    "0.5",
                    "OTEL_SERVICE_NAME",
                    "east")));
    assertThat(settings)
        .isEqualTo(
            new TraceSettings(
                URI.create(HERE + "/v1/traces"),
                Map.of("a", "b c", "authorization", "Basic x+y==", "x-tenant", "t"),
                Duration.ofSeconds(3),
                0.5,
                "east"));
    assertThat(String.valueOf(settings)).doesNotContain("Basic");
  }

  @ParameterizedTest
  @ValueSource(strings = {"c:4318", "grpc://u:pw@c:4317", "http://", "http://a b/pw", "/v1/traces"})
  void endpointThatIsNone_doesNotStart_andIsNotRepeated(String stated) {
    assertThatThrownBy(() -> OtlpSettings.of(with(Map.of(OTLP + "endpoint", stated))))
        .isInstanceOf(CannotStart.class)
        .hasMessage(
            OTLP
                + "endpoint is no address of a collector, expected one such as"
                + " http://127.0.0.1:4318");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-0.1", "1.1", "NaN", "all", ""})
  void shareThatIsNone_doesNotStart(String stated) {
    Map<String, String> properties =
        Map.of(OTLP + "endpoint", HERE, "management.tracing.sampling.probability", stated);
    assertThatThrownBy(() -> OtlpSettings.of(with(properties)))
        .isInstanceOf(CannotStart.class)
        .hasMessage(
            "management.tracing.sampling.probability is '"
                + stated
                + "', expected a number from 0 to 1");
  }

  @ParameterizedTest
  @CsvSource({
    "secret, 'cannot be read, expected name=value,name=value'",
    "'a=b,,c=d', 'cannot be read, expected name=value,name=value'",
    "=secret, 'cannot be read, expected name=value,name=value'",
    "a=secret%, has a % without two hexadecimal digits after it",
    "a=secret%2, has a % without two hexadecimal digits after it",
    "a=secret%zz, has a % without two hexadecimal digits after it",
    "a=secret%-1, has a % without two hexadecimal digits after it",
    "a=secret%0d%0a, has a header that cannot be sent",
    "a=secret%ff, has a header that cannot be sent",
    "a=sécret, has a header that cannot be sent",
    "se cret=b, has a header that cannot be sent"
  })
  void headersThatCannotBeRead_doNotStart_andAreNotRepeated(String stated, String why) {
    Map<String, String> properties =
        Map.of(OTLP + "endpoint", HERE, "OTEL_EXPORTER_OTLP_HEADERS", stated);
    assertThatThrownBy(() -> OtlpSettings.of(with(properties)))
        .isInstanceOf(CannotStart.class)
        .hasNoCause()
        .hasMessageStartingWith("OTEL_EXPORTER_OTLP_HEADERS " + why)
        .message()
        .doesNotContainPattern("s[eé] ?cret")
        .doesNotContain("\n");
  }

  @Test
  void headerThatCannotBeSent_doesNotStart_alsoAsAProperty() {
    Map<String, String> properties =
        Map.of(OTLP + "endpoint", HERE, OTLP + "headers.x-key", "sec\nret");
    assertThatThrownBy(() -> OtlpSettings.of(with(properties)))
        .isInstanceOf(CannotStart.class)
        .hasMessageStartingWith(OTLP + "headers has a header that cannot be sent")
        .hasMessageNotContaining("ret\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1s", "soon", "61m", "9223372036854775807d"})
  void timeoutThatIsNone_doesNotStart(String stated) {
    Map<String, String> properties = Map.of(OTLP + "endpoint", HERE, OTLP + "timeout", stated);
    assertThatThrownBy(() -> OtlpSettings.of(with(properties)))
        .isInstanceOf(CannotStart.class)
        .hasMessage(
            OTLP
                + "timeout is '"
                + stated
                + "', expected a duration such as 10s, at most one hour");
  }
}
