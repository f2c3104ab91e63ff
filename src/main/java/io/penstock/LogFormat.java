package io.penstock;

import io.penstock.settings.PenstockSettings.Log;
import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.IgnoreErrorsBindHandler;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;

/**
 * Sets the configured format of the log before logging is set up, so that it applies from the first
 * line on.
 */
final class LogFormat implements EnvironmentPostProcessor, Ordered {
  private static final String PROPERTY = "penstock.log.format";
  private static final String STRUCTURED = "logging.structured.format.console";

  /** Runs after the last property was read. */
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    Log.Format format =
        Binder.get(environment)
            .bind(PROPERTY, Bindable.of(Log.Format.class), new IgnoreErrorsBindHandler())
            .orElse(Log.Format.PLAIN); // an invalid value is reported later, and stops the start
    if (format == Log.Format.JSON) {
      environment
          .getPropertySources()
          .addLast(new MapPropertySource("log format", Map.of(STRUCTURED, "logstash")));
    }
  }

  /** Returns whether each line is a JSON object, for programs to read. */
  static boolean structured(Environment environment) {
    return !environment.getProperty(STRUCTURED, "").isBlank();
  }
}
