package io.penstock.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ClassPathResource;

class FrameworkSettingsTest {
  private final StandardEnvironment environment = new StandardEnvironment();

  private List<String> warnings(String... arguments) {
    environment.getPropertySources().addFirst(new SimpleCommandLinePropertySource(arguments));
    return FrameworkSettings.warnings(environment);
  }

  @ParameterizedTest
  @CsvSource({
    "spring.cloud.gateway.routes[0].uri, route files (--routes)",
    "spring.cloud.gateway.server.webflux.routes[0].id, route files (--routes)",
    "spring.cloud.gateway.server.webflux.default-filters, there are no filters to configure",
    "spring.cloud.gateway.server.webflux.httpclient.connect-timeout, connect_timeout",
    "spring.cloud.gateway.httpclient.responseTimeout, first_byte_timeout",
    "spring.cloud.gateway.server.webflux.globalcors.cors-configurations, penstock.allowed-origins",
    "spring.cloud.gateway.trusted-proxies, spring.cloud.gateway.server.webflux.trusted-proxies",
    "spring.data.redis.host, penstock.redis.url",
    "spring.r2dbc.url, penstock.database.url",
    "spring.security.user.name, penstock.operator.token",
    "spring.lifecycle.timeout-per-shutdown-phase, penstock.drain-timeout",
    "server.tomcat.threads.max, server.netty"
  })
  void settingWithoutEffect_isNamedWithWhatToUseInstead(String name, String instead) {
    assertThat(warnings("--" + name + "=1"))
        .singleElement()
        .asString()
        .startsWith("--" + name + " (command line) has no effect here: ")
        .contains(instead);
  }

  @ParameterizedTest
  @CsvSource({
    "server.port",
    "server.ssl.certificate",
    "spring.cloud.gateway.server.webflux.trusted-proxies",
    "logging.level.root",
    "management.server.port"
  })
  void settingWithEffect_isNotNamed(String name) {
    assertThat(warnings("--" + name + "=1")).isEmpty();
  }

  @Test
  void manySettingsOfOneKind_areOneWarning_forEachPlace() {
    Map<String, Object> variables = new HashMap<>();
    variables.put("SPRING_CLOUD_GATEWAY_ROUTES_0_ID", "a");
    String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
    environment
        .getPropertySources()
        .replace(name, new SystemEnvironmentPropertySource(name, variables));
    assertThat(
            warnings(
                "--spring.cloud.gateway.routes[0].id=a", "--spring.cloud.gateway.routes[0].uri=b"))
        .hasSize(1);
    assertThat(warnings())
        .singleElement()
        .asString()
        .startsWith("SPRING_CLOUD_GATEWAY_ROUTES_0_ID (environment) has no effect here: ");
  }

  @Test
  void settingsOfTheProgramItself_areNotNamed() throws IOException {
    new YamlPropertySourceLoader()
        .load("program", new ClassPathResource("application.yml"))
        .forEach(environment.getPropertySources()::addLast);
    assertThat(warnings()).isEmpty();
  }
}
