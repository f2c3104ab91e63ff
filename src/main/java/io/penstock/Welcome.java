package io.penstock;

import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.Registry;
import io.penstock.pool.UpstreamSpec;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;

/** Says, once it runs, what it serves and what to try. */
final class Welcome implements ApplicationListener<ApplicationReadyEvent> {
  private static final Logger LOG = LoggerFactory.getLogger(Welcome.class);

  private final Registry registry;

  Welcome(Registry registry) {
    this.registry = registry;
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent event) {
    Environment environment = event.getApplicationContext().getEnvironment();
    String port = environment.getProperty("local.server.port", "8080");
    String operator = environment.getProperty("local.management.port", "8081");
    String gateway = "http://127.0.0.1:" + port;
    for (Endpoint endpoint : registry.all()) {
      LOG.info("{}{} -> {}", gateway, endpoint.path(), upstreams(endpoint.spec()));
    }
    if (registry.find("/demo") != null) {
      LOG.info("try:\n{}", lines(gateway, "http://127.0.0.1:" + operator));
    }
  }

  private static String upstreams(EndpointSpec spec) {
    if (spec.permit()) {
      return "permits";
    }
    return spec.upstreams().stream().map(Welcome::upstream).collect(Collectors.joining(", "));
  }

  private static String upstream(UpstreamSpec spec) {
    return spec.access().disabledBecause() == null
        ? spec.id()
        : spec.id() + " (disabled: " + spec.access().disabledBecause() + ")";
  }

  /** The three lines of the README. */
  private static String lines(String gateway, String operator) {
    String ask =
        "curl -s %s/demo/v1/chat/completions -H 'Content-Type: application/json' -d"
            + " '{\"model\":\"demo\",\"max_tokens\":40,\"messages\":[{\"role\":\"user\","
            + "\"content\":\"Hello\"}]}'";
    return String.join(
        "\n",
        "  " + ask.formatted(gateway),
        "  for i in 1 2 3 4 5 6; do "
            + ask.formatted(gateway)
            + " -o /dev/null -w \"%{http_code} after %{time_total} s\\n\" & done; wait",
        "  curl -s '" + operator + "/endpoints?path=/demo'");
  }
}
