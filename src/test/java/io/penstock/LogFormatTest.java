package io.penstock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.event.KeyValuePair;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.logging.logback.StructuredLogEncoder;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class LogFormatTest {
  private static final String FORMAT = "logging.structured.format.console";

  private static StandardEnvironment with(Map<String, Object> properties) {
    StandardEnvironment environment = new StandardEnvironment();
    environment.getPropertySources().addFirst(new MapPropertySource("test", properties));
    new LogFormat().postProcessEnvironment(environment, new SpringApplication());
    return environment;
  }

  @Test
  void byDefault_isPlain() {
    assertThat(with(Map.of()).getProperty(FORMAT)).isNull();
    assertThat(LogFormat.structured(with(Map.of("penstock.log.format", "plain")))).isFalse();
  }

  @Test
  void json_isOneOfTheFrameworksFormats_butNotIfAnotherIsAskedFor() {
    StandardEnvironment json = with(Map.of("penstock.log.format", "json"));
    assertThat(json.getProperty(FORMAT)).isEqualTo("logstash");
    assertThat(LogFormat.structured(json)).isTrue();
    assertThat(with(Map.of("penstock.log.format", "json", FORMAT, "ecs")).getProperty(FORMAT))
        .isEqualTo("ecs");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain",
        "two\nlines\r\n",
        "\"quoted\" \\ {braces} {}",
        "\u0000\u0001\u001b[31mred\u007f\u0085",
        "\u2028\u2029\u202eturned",
        "half \ud83d of a pair",
        "{\"level\":\"ERROR\"}"
      })
  void anyMessage_isOneObjectOnOneLine(String text) {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    context.putObject(Environment.class.getName(), with(Map.of("penstock.log.format", "json")));
    StructuredLogEncoder encoder = new StructuredLogEncoder();
    encoder.setContext(context);
    encoder.setFormat("logstash");
    encoder.start();
    Exception thrown = new IllegalStateException(text, new RuntimeException(text));
    LoggingEvent event =
        new LoggingEvent(
            "logger",
            context.getLogger("io.penstock.x"),
            Level.ERROR,
            "{}",
            thrown,
            new Object[] {text});
    event.addKeyValuePair(new KeyValuePair("field", text));
    String line = new String(encoder.encode(event), UTF_8);
    assertThat(line).endsWith("}\n");
    assertThat(line.strip().lines()).hasSize(1);
    JsonNode json = JsonMapper.shared().readTree(line);
    String kept = text.replace("\ud83d", "");
    assertThat(json.get("message").asString()).isEqualTo(kept);
    assertThat(json.get("field").asString()).isEqualTo(kept);
    assertThat(json.get("level").asString()).isEqualTo("ERROR");
    assertThat(json.get("stack_trace").asString()).contains("IllegalStateException", "Caused by");
  }
}
