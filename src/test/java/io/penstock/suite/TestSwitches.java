package io.penstock.suite;

import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Hides the switches of tests, such as {@code -Dpenstock.deep=true}, from the gateways that run in
 * the JVM of the tests, which would refuse to start with unknown settings, and turns their warm-up
 * off unless an argument turns it on. Instances that share limits have a short lease.
 *
 * <p>Spring finds it by its name in {@code META-INF/spring.factories}. Gateways in processes of
 * their own do not get these switches.
 */
public final class TestSwitches implements EnvironmentPostProcessor {
  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    Map<String, Object> others = new HashMap<>(environment.getSystemProperties());
    others.keySet().removeIf(name -> name.startsWith("penstock."));
    others.put("penstock.warm-up", "false"); // hundreds of starts would each take twice as long
    others.put("penstock.redis.lease", "2s"); // the first one at an empty Redis waits for a lease
    String source = StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME;
    environment.getPropertySources().replace(source, new MapPropertySource(source, others));
  }
}
