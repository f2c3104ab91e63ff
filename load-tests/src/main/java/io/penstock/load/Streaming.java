package io.penstock.load;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code 03-streaming}: when the first byte of a stream comes, whether all of its events do, and
 * whether what it used is settled.
 */
final class Streaming implements Scenario {
  private static final int PER_SECOND = 50;

  /** As many streams at once as keep a gateway busy that is cold. */
  private static final int WARMING = 256;

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
        PER_SECOND, Duration.ofSeconds(2), settings.stretch(10), settings.rounds(7));
  }

  @Override
  public Duration longest(Settings settings) {
    Duration warm = settings.warmup(Warmup.MOST_SECONDS).multipliedBy(3);
    return plan(settings).length(3).plus(warm).plus(START);
  }

  @Override
  public Report run(Settings settings) throws IOException, InterruptedException {
    Path made = settings.made(name());
    try (Stage stage = new Stage(made, settings.jar())) {
      int upstream = stage.upstream("upstream", "--events=" + EVENTS, "--event-ms=" + EVENT_MILLIS);
      Gateway gateway = stage.penstock(Penstock.NAME, Penstock.unlimited(upstream), List.of());
      int bare = stage.bareGateway("gateway", upstream);
      List<Peer> peers =
          List.of(
              peer(Cast.DIRECT, upstream, Cast.PATH),
              peer(Penstock.NAME, gateway.port(), "/load" + Cast.PATH),
              peer(Cast.BARE, bare, Cast.PATH));
      Load load = settings.load(Settings.loadBy(), made, WARMING).sending(BODY);
      Map<String, OpenLoop> loops = new LinkedHashMap<>();
      for (Peer peer : peers) {
        Warmup.until(
            settings.warmup(Warmup.MOST_SECONDS), length -> load.measure(peer, length).requests());
        loops.put(peer.name(), loop(peer));
      }
      long[] before = settled(gateway); // of streams that were cut off when a stretch ended, too
      Rates rates = Rates.of(loops, plan(settings));
      long[] used = settled(gateway);
      Arrays.setAll(used, at -> used[at] - before[at]);
      return report(settings, rates, used);
    }
  }

  private static Peer peer(String name, int port, String path) {
    return new Peer(name, port, path, "", Double.NaN, headers -> true);
  }

  private static OpenLoop loop(Peer peer) {
    byte[] request = LoadClient.http(peer.path(), Load.headers(peer), BODY);
    // [DONE] is one, too
    return new OpenLoop(peer.port(), request, EVENTS + 1);
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
