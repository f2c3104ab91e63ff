package io.penstock.fake;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.GatewayServer;
import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.awaitility.core.ConditionFactory;
import org.springframework.context.ConfigurableApplicationContext;

/** A gateway in this JVM, on free ports, with routes of its own. */
public final class RunningGateway implements AutoCloseable {

  private final ConfigurableApplicationContext context;
  private final Path routes;

  private RunningGateway(ConfigurableApplicationContext context, Path routes) {
    this.context = context;
    this.routes = routes;
  }

  /** Starts with the text of a route file, and Spring arguments such as {@code --a.b=c}. */
  public static RunningGateway start(String yaml, String... arguments) {
    return start(yaml, GatewayServer.MINUTE, arguments);
  }

  /** Starts with another window of limits per minute. */
  public static RunningGateway start(String yaml, Duration window, String... arguments) {
    Path routes = write(yaml);
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--server.port=0");
    if (all.stream().noneMatch(each -> each.startsWith("--management.server.port="))) {
      all.add("--management.server.port=0");
    }
    if (all.stream().noneMatch(each -> each.startsWith("--penstock.allowed-hosts="))) {
      all.add("--penstock.allowed-hosts=*"); // most tests do not care about the host name
    }
    GatewayServer.Start start =
        GatewayServer.start(
            Map.of("SECRET", "sk-upstream"), routes, window, all.toArray(String[]::new));
    if (start instanceof GatewayServer.Started(ConfigurableApplicationContext context)) {
      return new RunningGateway(context, routes);
    }
    throw new AssertionError("did not start: " + start);
  }

  private static Path write(String yaml) {
    try {
      Path file = Files.createTempFile("routes", ".yaml");
      return Files.writeString(file, yaml);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a port as {@link FreePorts} does. */
  public static int freePort() {
    return FreePorts.next();
  }

  /** Returns the gateway port. */
  public int port() {
    return port("local.server.port");
  }

  /** Returns the operator port. */
  public int operatorPort() {
    return port("local.management.port");
  }

  private int port(String property) {
    return Integer.parseInt(Objects.requireNonNull(context.getEnvironment().getProperty(property)));
  }

  /** Returns the route file. */
  public Path routes() {
    return routes;
  }

  /** Returns a bean. */
  public <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  /** Returns an endpoint. */
  public Endpoint endpoint(String path) {
    return Objects.requireNonNull(bean(EndpointRegistry.class).find(path));
  }

  /** Returns the number of requests of an endpoint with the given fate. */
  public long count(String path, TicketFate fate) {
    return endpoint(path).totals().requests(fate);
  }

  /** Waits until that many requests of an endpoint have the given fate. */
  public void await(String path, TicketFate fate, long requests) {
    awaiting().untilAsserted(() -> assertThat(count(path, fate)).isEqualTo(requests));
  }

  /** Waits until no request is running; fails unless all requests are accounted for. */
  public void awaitBalance() {
    awaiting().untilAsserted(this::assertBalance);
  }

  /** Returns a wait of at most a minute that polls often. */
  public static ConditionFactory awaiting() {
    return PatientWaits.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5));
  }

  private void assertBalance() {
    LeftOver.of(context).assertBalance();
  }

  /** Stops; fails if any request has left something behind by then. */
  @Override
  public void close() {
    LeftOver.stop(context);
    try {
      Files.deleteIfExists(routes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
