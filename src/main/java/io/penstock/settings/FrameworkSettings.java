package io.penstock.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Finds settings of Spring Boot and Spring Cloud Gateway that have no effect in this program.
 * People with knowledge of these frameworks may try them.
 *
 * @param below the names of the settings begin with this
 * @param advice what to use instead
 */
record FrameworkSettings(ConfigurationPropertyName below, String advice) {
  private static final String IN_ROUTE_FILES =
      "endpoints and their upstreams stand in route files (--routes)";
  private static final String TO_UPSTREAMS =
      "each upstream of a route file has its own connect_timeout, first_byte_timeout, tls and"
          + " proxy";
  private static final String CORS = "use penstock.allowed-origins";
  private static final String LIMITS =
      "limits of endpoints, keys and upstreams stand in route files";
  private static final String REDIS = "use penstock.redis.url";
  private static final String DATABASE = "use penstock.database.url";
  private static final String SERVER = "the server is Netty: use server.netty.*";

  private static final List<FrameworkSettings> WITHOUT_EFFECT =
      Stream.concat(
              Stream.of("spring.cloud.gateway.server.webflux", "spring.cloud.gateway")
                  .flatMap(FrameworkSettings::ofGateway),
              Stream.of(
                  of(
                      "spring.cloud.gateway.trusted-proxies",
                      "use spring.cloud.gateway.server.webflux.trusted-proxies"),
                  of("spring.cloud.gateway.mvc", IN_ROUTE_FILES),
                  of("spring.cloud.gateway.server.webmvc", IN_ROUTE_FILES),
                  of("spring.data.redis", REDIS),
                  of("spring.redis", REDIS),
                  of("spring.datasource", DATABASE),
                  of("spring.r2dbc", DATABASE),
                  of("spring.flyway", "use penstock.database.migrate"),
                  of(
                      "spring.security",
                      "keys stand in route files or in penstock.keys.store, and the operator port"
                          + " has penstock.operator.token"),
                  of(
                      "spring.lifecycle.timeout-per-shutdown-phase",
                      "use penstock.drain-timeout and penstock.stream-drain-timeout"),
                  of("server.servlet", SERVER),
                  of("server.tomcat", SERVER),
                  of("server.jetty", SERVER)))
          .toList();

  private static Stream<FrameworkSettings> ofGateway(String section) {
    return Stream.of(
        of(section + ".routes", IN_ROUTE_FILES),
        of(section + ".discovery", IN_ROUTE_FILES),
        of(section + ".predicate", IN_ROUTE_FILES),
        of(
            section + ".default-filters",
            IN_ROUTE_FILES + ", and there are no filters to configure"),
        of(section + ".filter", IN_ROUTE_FILES + ", and there are no filters to configure"),
        of(section + ".httpclient", TO_UPSTREAMS),
        of(section + ".globalcors", CORS),
        of(section + ".redis-rate-limiter", LIMITS));
  }

  private static FrameworkSettings of(String below, String advice) {
    return new FrameworkSettings(ConfigurationPropertyName.of(below), advice);
  }

  /** Returns a warning about each kind of settings that are set and have no effect. */
  static List<String> warnings(ConfigurableEnvironment environment) {
    List<String> warnings = new ArrayList<>();
    for (FrameworkSettings each : WITHOUT_EFFECT) {
      ConfigurationPropertySources.get(environment)
          .forEach(
              source ->
                  each.find(source)
                      .findFirst()
                      .map(
                          name ->
                              SettingPlace.shown(environment, name)
                                  + " has no effect here: "
                                  + each.advice())
                      .filter(warning -> !warnings.contains(warning))
                      .ifPresent(warnings::add));
    }
    return warnings;
  }

  private Stream<ConfigurationPropertyName> find(ConfigurationPropertySource source) {
    return source instanceof IterableConfigurationPropertySource listed
        ? listed.stream()
            .filter(name -> below.equals(name) || below.isAncestorOf(name))
            .filter(name -> !ofProgram(source, name))
        : Stream.empty();
  }

  /** Returns whether the program itself has the setting in the file that is part of it. */
  private static boolean ofProgram(
      ConfigurationPropertySource source, ConfigurationPropertyName name) {
    ConfigurationProperty property = source.getConfigurationProperty(name);
    return property != null
        && property.getOrigin() instanceof PropertySourceOrigin origin
        && origin.getOrigin() instanceof TextResourceOrigin line
        && String.valueOf(line.getResource()).startsWith("class path resource");
  }
}
