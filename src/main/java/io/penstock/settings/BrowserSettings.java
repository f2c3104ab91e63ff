package io.penstock.settings;

import io.penstock.config.ConfigurationSnapshot;
import io.penstock.config.HostNames;
import io.penstock.gateway.identify.BrowserRules;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.springframework.core.env.Environment;

/**
 * The settings {@code penstock.allowed-hosts} and {@code penstock.allowed-origins}: which requests
 * of browsers the gateway serves.
 */
public final class BrowserSettings {
  private static final String HOSTS = "penstock.allowed-hosts";
  private static final String ORIGINS = "penstock.allowed-origins";
  private static final String ANY = "*";

  /** An origin as browsers write it, RFC 6454 section 6.2: without a path. */
  private static final Pattern ORIGIN =
      Pattern.compile(
          "[a-z][a-z0-9+.-]*://(?:\\[[0-9a-f:.]+]|[a-z0-9._-]+)(?::[0-9]{1,5})?",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern DEFAULT_PORT =
      Pattern.compile("http://.*:80|https://.*:443", Pattern.CASE_INSENSITIVE);

  private BrowserSettings() {}

  /**
   * Returns the rules that the settings define.
   *
   * @throws IllegalArgumentException when one of them is invalid
   */
  public static BrowserRules of(PenstockSettings settings, Environment environment) {
    return new BrowserRules(
        hosts(settings.clients().allowedHosts(), address(environment)),
        origins(settings.clients().allowedOrigins()));
  }

  /** Returns warnings about a configuration with which these settings serve too much. */
  public static List<String> warnings(
      PenstockSettings settings, Environment environment, ConfigurationSnapshot snapshot) {
    boolean any =
        settings.clients().allowedHosts().isEmpty() && !OpenRelay.loopback(address(environment));
    return any && !OpenRelay.asksForKeys(settings.limits().keys(), snapshot)
        ? List.of(
            "there are no keys and the gateway serves requests for any host, so a web page that"
                + " somebody in this network visits can use it under a host name of its own (DNS"
                + " rebinding): set "
                + HOSTS
                + " to the host names that clients use, or to * if any is meant")
        : List.of();
  }

  /**
   * Returns the hosts that are served. Without the setting, hosts are checked only where the
   * gateway listens on the loopback: elsewhere the names that clients use for it are unknown.
   */
  private static HostNames hosts(List<String> allowed, String address) {
    for (String host : allowed) {
      if (!HostNames.isEntry(host)) {
        throw new IllegalArgumentException(
            HOSTS
                + " has '"
                + host
                + "', expected host names without scheme and port, such as llm.example,"
                + " *.llm.example or 192.0.2.1, or * for any");
      }
    }
    if (allowed.isEmpty() && !OpenRelay.loopback(address)) {
      return HostNames.ANY;
    }
    List<String> names = new ArrayList<>(allowed);
    if (!OpenRelay.everywhere(address)) {
      names.add(address);
    }
    return HostNames.withLoopback(names);
  }

  private static List<String> origins(List<String> allowed) {
    for (String origin : allowed) {
      boolean exact = ORIGIN.matcher(origin).matches() && !DEFAULT_PORT.matcher(origin).matches();
      if (!exact && !origin.equals(ANY)) {
        throw new IllegalArgumentException(
            ORIGINS
                + " has '"
                + origin
                + "', expected origins as browsers write them, such as https://app.example.com or"
                + " http://localhost:3000, without a path or a default port, or * for any");
      }
    }
    return allowed;
  }

  private static String address(Environment environment) {
    return environment.getProperty("server.address", "");
  }
}
