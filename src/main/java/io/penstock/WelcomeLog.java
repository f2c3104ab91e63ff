package io.penstock;

import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.key.KeyRegistry;
import io.penstock.pool.UpstreamSpec;
import io.penstock.settings.OpenRelay;
import io.penstock.settings.PenstockSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;

/**
 * Logs at the start which endpoints are served, which commands to try, and at last the addresses of
 * the gateway and of the console.
 */
final class WelcomeLog implements ApplicationListener<ApplicationReadyEvent> {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.lifecycle");

  private static final String BEARER = " -H \"Authorization: Bearer $%s\"";

  private final PenstockSettings settings;
  private final EndpointRegistry registry;
  private final KeyRegistry keyRegistry;
  private final ServerProperties server;
  private final @Nullable ManagementServerProperties operatorServer;

  WelcomeLog(
      PenstockSettings settings,
      EndpointRegistry registry,
      KeyRegistry keyRegistry,
      ServerProperties server,
      @Nullable ManagementServerProperties operatorServer) {
    this.settings = settings;
    this.registry = registry;
    this.keyRegistry = keyRegistry;
    this.server = server;
    this.operatorServer = operatorServer;
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent event) {
    Environment environment = event.getApplicationContext().getEnvironment();
    String gateway = gateway(environment);
    for (Endpoint endpoint : registry.all()) {
      LOG.info("{}{} -> {}", gateway, endpoint.path(), upstreams(endpoint.spec()));
    }
    String lines = lines(environment);
    if (lines != null && LogFormat.structured(environment)) {
      lines.lines().forEach(line -> LOG.info("try: {}", line.strip()));
    } else if (lines != null) {
      LOG.info("try:\n{}", lines);
    }
    String operator = operator(environment);
    if (operator == null) {
      LOG.info("ready: clients use {}; without an operator port there is no console", gateway);
    } else {
      LOG.info(
          "ready: clients use {}, the console is {}/console, its page on refusals"
              + " {}/console/reasons",
          gateway,
          operator,
          operator);
    }
  }

  /** Returns the URL by which this machine reaches the gateway. */
  String gateway(Environment environment) {
    return url(
        server.getSsl(),
        environment.getProperty("server.address", ""),
        environment.getProperty("local.server.port", "8080"));
  }

  /** Returns the URL by which this machine reaches the operator port, or null if there is none. */
  @Nullable String operator(Environment environment) {
    String port = environment.getProperty("local.management.port");
    if (port == null || operatorServer == null) {
      return null;
    }
    // without TLS settings of its own, the port has those of the gateway
    Ssl ssl = operatorServer.getSsl() == null ? server.getSsl() : operatorServer.getSsl();
    return url(ssl, environment.getProperty("management.server.address", ""), port)
        + operatorServer.getBasePath();
  }

  private static String url(@Nullable Ssl ssl, String address, String port) {
    String host = OpenRelay.everywhere(address) ? "127.0.0.1" : address;
    return (Ssl.isEnabled(ssl) ? "https://" : "http://")
        + (host.indexOf(':') < 0 || host.startsWith("[") ? host : "[" + host + "]")
        + ":"
        + port;
  }

  private static String upstreams(EndpointSpec spec) {
    if (spec.permit()) {
      return "permits";
    }
    return spec.upstreams().stream().map(WelcomeLog::upstream).collect(Collectors.joining(", "));
  }

  private static String upstream(UpstreamSpec spec) {
    return spec.access().disabledBecause() == null
        ? spec.id()
        : spec.id() + " (disabled: " + spec.access().disabledBecause() + ")";
  }

  /**
   * Returns the three commands of the README, or null without the endpoint that they use. The last
   * one needs the operator port. Where requests need a key, the commands take it from the
   * environment, and a line before them shows how to set it.
   */
  @Nullable String lines(Environment environment) {
    if (registry.find("/demo") == null) {
      return null;
    }
    boolean asked = keyRegistry.any() || settings.limits().keys().demanded();
    boolean guarded = settings.running().operator().guarded();
    String operator = operator(environment);
    String ask =
        "curl -s "
            + gateway(environment)
            + "/demo/v1/chat/completions -H 'Content-Type: application/json'"
            + (asked ? BEARER.formatted("PENSTOCK_KEY") : "")
            + " -d '{\"model\":\"demo\",\"max_tokens\":40,\"messages\":[{\"role\":\"user\","
            + "\"content\":\"Hello\"}]}'";
    List<String> lines = new ArrayList<>();
    if (asked) {
      lines.add(key(operator));
    }
    lines.add("  " + ask);
    lines.add(
        "  for i in 1 2 3 4 5 6; do "
            + ask
            + " -o /dev/null -w \"%{http_code} after %{time_total} s\\n\" & done; wait");
    if (operator != null) {
      lines.add(
          "  curl -s '"
              + operator
              + "/endpoints?path=/demo'"
              + (guarded ? BEARER.formatted("PENSTOCK_OPERATOR_TOKEN") : ""));
    }
    return String.join("\n", lines);
  }

  /**
   * Returns the command that sets the key: a store creates keys through the operator port, while
   * route files have only their hashes.
   */
  private String key(@Nullable String operator) {
    if (settings.limits().keys().store() == null) {
      return "  export PENSTOCK_KEY=...  # the secret of a key in the route files";
    }
    return operator == null
        ? "  export PENSTOCK_KEY=...  # the secret of a stored key"
        : "  export PENSTOCK_KEY=$(penstock keys new --name me --attach " + operator + ")";
  }
}
