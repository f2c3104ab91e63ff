package io.penstock.upgrade;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The files and settings of one gateway, which stay when another jar takes over. */
final class GatewayPlace implements AutoCloseable {
  private final String name;
  private final Path routes;
  private final List<String> arguments;
  private @Nullable JarGateway gateway;

  GatewayPlace(String name, Path routes, List<String> arguments) {
    this.name = name;
    this.routes = routes;
    this.arguments = arguments;
  }

  /** Begins to start a gateway with these files. */
  void begin(JarVersion version) throws IOException {
    gateway = JarGateway.begin(name, version, routes, arguments);
  }

  /**
   * Waits until the gateway serves with the stored data; false means that it refused them in an
   * accepted way.
   */
  boolean serves(String stored) {
    return AcceptedRefusals.DECIDED.serves(stored, gateway().version(), gateway().outcome());
  }

  JarGateway gateway() {
    return Objects.requireNonNull(gateway);
  }

  @Override
  public void close() {
    if (gateway != null) {
      gateway.close();
    }
  }
}
