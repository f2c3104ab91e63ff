package io.penstock.gateway;

import io.netty.buffer.PooledByteBufAllocator;
import io.penstock.GatewayServer;
import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointTotals;
import io.penstock.gateway.body.BodyBudget;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.time.Ticker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.springframework.context.ApplicationContext;

/**
 * A gateway in a process of its own that answers questions on its input, one line each: {@code
 * port}, {@code totals}, {@code heap}, {@code gc}, {@code leak}.
 */
final class FootprintProcess {
  /** Beginning of lines with answers, to tell them apart from lines of the log. */
  static final String ANSWER = "= ";

  private FootprintProcess() {}

  /** Runs until its input ends; the first argument is the route file, the others are Spring's. */
  public static void main(String[] arguments) throws IOException {
    String[] rest = java.util.Arrays.copyOfRange(arguments, 1, arguments.length);
    if (!(GatewayServer.start(Map.of(), Path.of(arguments[0]), rest)
        instanceof GatewayServer.Started(var context))) {
      throw new IllegalStateException("did not start");
    }
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      System.out.println(ANSWER + answer(context, line));
    }
    context.close();
    System.exit(0);
  }

  private static String answer(ApplicationContext context, String question) {
    return switch (question) {
      case "port" -> context.getEnvironment().getRequiredProperty("local.server.port");
      case "totals" -> totals(context);
      case "heap" -> heap();
      case "gc" -> collected();
      case "leak" -> leaked();
      default -> "?";
    };
  }

  /**
   * Returns requests waiting, running and cancelled, then tokens and bytes waiting, bytes of
   * bodies, and tokens reserved.
   */
  private static String totals(ApplicationContext context) {
    Endpoint endpoint =
        Objects.requireNonNull(context.getBean(EndpointRegistry.class).find("/waiting"));
    EndpointTotals endpointTotals = endpoint.totals();
    long now = context.getBean(Ticker.class).nanos();
    long held =
        context.getBean(UpstreamRegistry.class).all().stream()
            .flatMap(upstream -> upstream.pools().values().stream())
            .flatMap(quota -> quota.limits().stream())
            .mapToLong(metered -> metered.limit().balance(now).reserved())
            .sum();
    return "%d %d %d %d %d %d %d"
        .formatted(
            endpointTotals.requests(TicketFate.WAITING),
            endpointTotals.requests(TicketFate.RUNNING),
            endpointTotals.requests(TicketFate.CANCELLED),
            endpointTotals.tokens(TicketFate.WAITING),
            endpointTotals.bytes(TicketFate.WAITING),
            context.getBean(BodyBudget.class).heldBytes(),
            held);
  }

  private static String heap() {
    collected();
    Runtime runtime = Runtime.getRuntime();
    return Long.toString(runtime.totalMemory() - runtime.freeMemory());
  }

  private static String collected() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return "collected";
  }

  private static String leaked() {
    PooledByteBufAllocator.DEFAULT.directBuffer(16).writeByte(1);
    return "leaked";
  }
}
