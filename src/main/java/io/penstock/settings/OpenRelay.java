package io.penstock.settings;

import io.penstock.config.ConfigurationSnapshot;
import io.penstock.endpoint.EndpointSpec;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.core.env.Environment;

/**
 * Refuses to start a gateway that everybody in the network could use or operate, unless that is
 * explicitly configured. Extends the framework's own exception so that the framework lets it
 * through without a report of its own.
 */
public final class OpenRelay extends SpringApplication.AbandonedRunException {
  private static final long serialVersionUID = 1L;

  private final String why;

  private OpenRelay(String why) {
    this.why = why;
  }

  @Override
  public String getMessage() {
    return why;
  }

  public static void check(
      PenstockSettings settings, Environment environment, ConfigurationSnapshot snapshot) {
    String why = problem(settings, environment, snapshot);
    if (why != null) {
      throw new OpenRelay(why);
    }
    checkOperator(settings, environment);
  }

  /**
   * Returns why the gateway must not serve {@code snapshot} where it listens, or null if it may.
   */
  public static @Nullable String problem(
      PenstockSettings settings, Environment environment, ConfigurationSnapshot snapshot) {
    String address = environment.getProperty("server.address", "");
    boolean meant = Boolean.FALSE.equals(settings.limits().keys().required());
    if (meant
        || loopback(address)
        || asksForKeys(settings.limits().keys(), snapshot)
        || asked(address, snapshot)) {
      return null;
    }
    return "no keys are configured, so anyone who reaches "
        + named(address)
        + " could use the upstreams: add keys, listen on 127.0.0.1, or say"
        + " --penstock.keys.required=false to mean it";
  }

  /** Returns whether clients need keys. With a store of keys they do, even while it is empty. */
  static boolean asksForKeys(PenstockSettings.Keys keys, ConfigurationSnapshot snapshot) {
    return !snapshot.keys().isEmpty() || keys.demanded() || keys.store() != null;
  }

  /**
   * Returns whether the route files, as a configuration of rls, state where to listen, and relay
   * nothing because they have no upstream.
   */
  private static boolean asked(String address, ConfigurationSnapshot snapshot) {
    ConfigurationSnapshot.Server server = snapshot.server();
    return server != null
        && address.equals(server.host())
        && snapshot.endpoints().stream().allMatch(EndpointSpec::permit);
  }

  private static void checkOperator(PenstockSettings settings, Environment environment) {
    ManagementPortType port = ManagementPortType.get(environment);
    if (port == ManagementPortType.SAME) {
      throw new OpenRelay(
          "the operator port is the gateway's own, so that clients would be operators: give"
              + " --operator-port another one");
    }
    String address = environment.getProperty("management.server.address", "");
    boolean open = !settings.running().operator().guarded() && !loopback(address);
    if (port == ManagementPortType.DIFFERENT && open) {
      throw new OpenRelay(
          "anyone who reaches "
              + named(address)
              + " could operate the gateway: set penstock.operator.token, or leave"
              + " management.server.address at 127.0.0.1");
    }
  }

  private static String named(String address) {
    return address.isBlank() ? "any address of this machine" : address;
  }

  /** Returns whether a server on an address can be reached from this machine only. */
  public static boolean loopback(String address) {
    try {
      // A blank address means every address, though it resolves to a loopback one.
      return !address.isBlank() && InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException unknown) {
      return false; // an unknown address is not known to be safe
    }
  }

  /** Returns whether a server on an address listens on all addresses of this machine. */
  public static boolean everywhere(String address) {
    try {
      return address.isBlank() || InetAddress.getByName(address).isAnyLocalAddress();
    } catch (UnknownHostException unknown) {
      return false; // no server can listen on it
    }
  }
}
