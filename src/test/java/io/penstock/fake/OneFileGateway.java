package io.penstock.fake;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.GatewayServer;
import io.penstock.config.ConfigurationReloader;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.event.EventBus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.springframework.context.ConfigurableApplicationContext;

/** A gateway that runs in this JVM, with one route file. */
public final class OneFileGateway implements AutoCloseable {
  private final Path routes;
  private final ConfigurableApplicationContext context;

  private OneFileGateway(Path routes, ConfigurableApplicationContext context) {
    this.routes = routes;
    this.context = context;
  }

  /**
   * Starts a gateway.
   *
   * @param window the length of a minute in limits per minute
   */
  public static OneFileGateway start(Path directory, String yaml, Duration window)
      throws IOException {
    Path routes = Files.writeString(directory.resolve("routes.yaml"), yaml);
    GatewayServer.Start start =
        GatewayServer.start(
            Map.of(), routes, window, "--server.port=0", "--management.server.port=-1");
    assertThat(start).isInstanceOf(GatewayServer.Started.class);
    return new OneFileGateway(routes, ((GatewayServer.Started) start).context());
  }

  public String url(String path) {
    String port = context.getEnvironment().getRequiredProperty("local.server.port");
    return "http://127.0.0.1:" + port + path;
  }

  public <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  public EventBus events() {
    return bean(EventBus.class);
  }

  public Endpoint endpoint(String path) {
    return Objects.requireNonNull(bean(EndpointRegistry.class).find(path));
  }

  /** Writes the route file again and reloads it; the watcher may read it as well. */
  public ConfigurationReloader.Result rewrite(String yaml) throws IOException {
    Files.writeString(routes, yaml);
    return bean(ConfigurationReloader.class).reload();
  }

  @Override
  public void close() {
    context.close();
  }
}
