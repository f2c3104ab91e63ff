package io.penstock.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.penstock.trace.TraceSettings;
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

  private static Map<String, String> properties(Map<String, String> stated) {
    TraceSettings settings = OtlpSettings.of(with(stated));
    assertThat(settings).isNotNull();
    return settings.properties();
  }

  @Test
  void defaults() {
    assertThat(properties(Map.of(OTLP + "endpoint", HERE + "/v1/traces")))
        .containsOnly(
            entry("otel.exporter.otlp.traces.endpoint", HERE + "/v1/traces"),
            entry("otel.exporter.otlp.protocol", "http/protobuf"),
            entry("otel.traces.exporter", "otlp"),
            entry("otel.metrics.exporter", "none"),
            entry("otel.logs.exporter", "none"),
            entry("otel.traces.sampler", "parentbased_traceidratio"),
            entry("otel.traces.sampler.arg", "0.1"),
            entry("otel.propagators", "tracecontext"),
            entry("otel.service.name", "penstock"),
            entry("otel.attribute.value.length.limit", "512"),
            entry("otel.bsp.max.queue.size", "4096"),
            entry("otel.bsp.schedule.delay", "1000"));
  }

  @ParameterizedTest
  @CsvSource({
    "OTEL_EXPORTER_OTLP_ENDPOINT, otel.exporter.otlp.endpoint",
    "otel.exporter.otlp.endpoint, otel.exporter.otlp.endpoint",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, otel.exporter.otlp.traces.endpoint",
    "management.opentelemetry.tracing.export.otlp.endpoint, otel.exporter.otlp.traces.endpoint"
  })
  void endpoint_isNamedInManyWays(String property, String expected) {
    assertThat(properties(Map.of(property, HERE))).containsEntry(expected, HERE);
  }

  @Test
  void endpointOfSpringBoot_wins() {
    assertThat(
            properties(
                Map.of(
                    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
                    "http://a",
                    "OTEL_EXPORTER_OTLP_ENDPOINT",
                    "http://b",
                    OTLP + "endpoint",
                    "http://c")))
        .containsEntry("otel.exporter.otlp.traces.endpoint", "http://c");
  }

  @Test
  void exporterAlone_sendsToTheDefaultAddress() {
    assertThat(properties(Map.of("OTEL_TRACES_EXPORTER", "otlp")))
        .doesNotContainKey("otel.exporter.otlp.endpoint");
  }

  @Test
  void tracesThatAreSwitchedOff_areNotSent() {
    String endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT";
    assertThat(OtlpSettings.of(with(Map.of(endpoint, HERE, "OTEL_TRACES_EXPORTER", "none"))))
        .isNull();
    assertThat(OtlpSettings.of(with(Map.of(endpoint, HERE, "OTEL_SDK_DISABLED", "true")))).isNull();
  }

  @Test
  void others_areAsStated() {
    Map<String, String> properties =
        properties(
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
                "east",
                "OTEL_BSP_SCHEDULE_DELAY",
                "250",
                "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT",
                "100",
                "OTEL_PROPAGATORS",
                "tracecontext,baggage"));
    assertThat(properties)
        .contains(
            entry(
                "otel.exporter.otlp.traces.headers",
                "a=b%20c,authorization=Basic%20x%2By%3D%3D,x-tenant=t"),
            entry("otel.exporter.otlp.traces.timeout", "3000"),
            entry("otel.bsp.export.timeout", "13000"),
            entry("otel.traces.sampler", "parentbased_traceidratio"),
            entry("otel.traces.sampler.arg", "0.5"),
            entry("otel.service.name", "east"),
            entry("otel.bsp.schedule.delay", "250"),
            entry("otel.attribute.value.length.limit", "100"),
            entry("otel.propagators", "tracecontext,baggage"));
  }

  @Test
  void settings_areNotWrittenOut() {
    TraceSettings settings =
        OtlpSettings.of(
            with(Map.of(OTLP + "endpoint", HERE, "OTEL_EXPORTER_OTLP_HEADERS", "a=secret")));
    assertThat(String.valueOf(settings)).doesNotContain("secret");
  }

  @Test
  void samplerOfOpenTelemetry_isTaken_withItsOwnDefault() {
    assertThat(
            properties(
                Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", HERE, "OTEL_TRACES_SAMPLER", "always_on")))
        .containsEntry("otel.traces.sampler", "always_on")
        .doesNotContainKey("otel.traces.sampler.arg");
    assertThat(
            properties(
                Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", HERE, "OTEL_TRACES_SAMPLER_ARG", "0.3")))
        .containsEntry("otel.traces.sampler", "parentbased_traceidratio")
        .containsEntry("otel.traces.sampler.arg", "0.3");
  }

  @Test
  void serviceNameAmongTheAttributes_isKept() {
    assertThat(
            properties(
                Map.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT",
                    HERE,
                    "OTEL_RESOURCE_ATTRIBUTES",
                    "team=a,service.name=east")))
        .containsEntry("otel.resource.attributes", "team=a,service.name=east")
        .doesNotContainKey("otel.service.name");
  }

  @Test
  void protocolThatIsNotSpoken_doesNotStart() {
    assertThatThrownBy(
            () ->
                OtlpSettings.of(
                    with(
                        Map.of(
                            "OTEL_EXPORTER_OTLP_ENDPOINT",
                            HERE,
                            "OTEL_EXPORTER_OTLP_PROTOCOL",
                            "grpc"))))
        .isInstanceOf(CannotStart.class)
        .hasMessage(
            "OTEL_EXPORTER_OTLP_PROTOCOL is 'grpc', expected http/protobuf, with the collector's"
                + " port for HTTP, which usually is 4318");
  }

  @ParameterizedTest
  @CsvSource({
    "OTEL_BSP_SCHEDULE_DELAY, soon, otel.bsp.schedule.delay",
    "OTEL_TRACES_SAMPLER, some, otel.traces.sampler",
    "OTEL_TRACES_EXPORTER, pigeon, otel.traces.exporter",
    "OTEL_PROPAGATORS, pigeon, otel.propagators"
  })
  void settingOfOpenTelemetryThatCannotBeUsed_doesNotStart(
      String name, String value, String named) {
    assertThatThrownBy(
            () -> OtlpSettings.of(with(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", HERE, name, value))))
        .isInstanceOf(CannotStart.class)
        .hasMessageStartingWith("traces cannot be sent: ")
        .hasMessageContaining(named);
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
