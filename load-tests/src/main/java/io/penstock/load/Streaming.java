package io.penstock.load;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code 03-streaming}: when the first byte of a stream comes, whether all of its events do, and
 * whether what it used is settled.
 */
final class Streaming implements Scenario {
  private static final int PER_SECOND = 50;
  private static final int EVENTS = 20;
  private static final int EVENT_MILLIS = 10;
  private static final Duration START = Duration.ofMinutes(5);
  private static final Duration SETTLED = Duration.ofSeconds(10);

  private static final String BODY =
      Load.BODY.replace("\"max_tokens\":100", "\"stream\":true,\"max_tokens\":100");

  @Override
  public String name() {
    return "03-streaming";
  }

  private static Rates.Plan plan(Settings settings) {
    return new Rates.Plan(
        PER_SECOND, settings.warmup(15), settings.stretch(10), settings.rounds(7));
  }

  @Override
  public Duration longest(Settings settings) {
    return plan(settings).length(3).plus(START);
  }

  @Override
  public Report run(Settings settings) throws IOException, InterruptedException {
    Path made = settings.made(name());
    try (Stage stage = new Stage(made, settings.jar())) {
      int upstream = stage.upstream("upstream", "--events=" + EVENTS, "--event-ms=" + EVENT_MILLIS);
      Gateway gateway = stage.penstock(Penstock.NAME, Penstock.unlimited(upstream), List.of());
      int bare = stage.bareGateway("gateway", upstream);
      Map<String, OpenLoop> loops = new LinkedHashMap<>();
      loops.put(Cast.DIRECT, loop(upstream, Cast.PATH));
      loops.put(Penstock.NAME, loop(gateway.port(), "/load" + Cast.PATH));
      loops.put(Cast.BARE, loop(bare, Cast.PATH));
      Rates rates = Rates.of(loops, plan(settings));
      return report(settings, rates, settled(gateway));
    }
  }

  private static OpenLoop loop(int port, String path) {
    Peer peer = new Peer("stream", port, path, "", Double.NaN, headers -> true);
    // [DONE] is one, too
    return new OpenLoop(port, LoadClient.http(path, Load.headers(peer), BODY), EVENTS + 1);
  }

  /** Returns what the key was charged: requests, input and output, once nothing runs. */
  private static long[] settled(Gateway gateway) throws IOException, InterruptedException {
    Operator operator = gateway.operator();
    Operator.await("nothing is held", SETTLED, () -> operator.held() == 0);
    return operator.used("load");
  }

  private Report report(Settings settings, Rates rates, long[] used) {
    Added first = rates.added(Cast.BARE, each -> each.first(50));
    Latencies ours = rates.all(Penstock.NAME);
    boolean whole = ours.failures() == 0 && ours.events() == ours.answers() * (EVENTS + 1);
    boolean settled =
        used[0] >= ours.answers()
            && used[1] == used[0] * Upstream.PROMPT_TOKENS
            && used[2] == used[0] * Upstream.COMPLETION_TOKENS;
    List<Figure> figures =
        List.of(
            Figure.atMost(
                "time to first streamed byte, added p50",
                "what " + Cast.BARE + " adds",
                1.1,
                first.ratio(),
                first.inMillis()),
            Figure.that(
                "events of streams",
                "all",
                whole,
                "%,d of %,d streams; %d streams failed"
                    .formatted(ours.events(), ours.answers(), ours.failures())),
            Figure.that(
                "usage settled",
                "as the upstream states it",
                settled,
                "%,d requests, %,d + %,d tokens".formatted(used[0], used[1], used[2])));
    Rates.Plan plan = plan(settings);
    String title =
        "%s: %d streams/s of %d events %d ms apart, %d rounds of %d s each; %s"
            .formatted(
                name(),
                PER_SECOND,
                EVENTS,
                EVENT_MILLIS,
                plan.rounds(),
                plan.stretch().toSeconds(),
                Machine.described());
    boolean good = rates.failures() == 0 && settled;
    return new Report(title, rates.table(), figures, rates.details(), good);
  }
}
