package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.CachedTraffic;
import io.penstock.fake.CachedTraffic.Sample;
import io.penstock.fake.RedisServer;
import io.penstock.fake.RunningGateway;
import io.penstock.mock.MockProvider;
import io.penstock.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Measures how much of a limit of uncached input is used when a provider caches most of it. A
 * minute lasts {@code -Dpenstock.cache.minute-seconds}, and all else is scaled with it.
 */
@Isolated("measures")
@SuppressWarnings("try") // the traffic ends before its figures are read
class CacheFigures {
  private static final Duration MINUTE =
      Duration.ofSeconds(Integer.getInteger("penstock.cache.minute-seconds", 60));

  private static final int CLIENTS = 80;

  /**
   * Clients of a cache that stops working. Then ten requests fit into a minute, so that each of
   * these waits for four minutes, less than the default {@code max_wait} of 290 seconds. Each of 80
   * clients would have to wait for eight minutes, and many would be refused.
   */
  private static final int PATIENT_CLIENTS = 40;

  private static final int STOPPED_MINUTES = 6;

  /** So many prompts are written to the cache in the first two minutes. */
  private static final int CONVERSATIONS = 20;

  private static final int MINUTES = Integer.getInteger("penstock.cache.minutes", 3);
  private static final double FULL = 0.95;

  /** The same for instances that share the limit. */
  private static final double FULL_TOGETHER = 0.9;

  private final FigureTable figureTable = new FigureTable();

  private static String endpoint(String path, CachedTraffic traffic) {
    return """
      - path: %s
        dialect: anthropic
        upstreams: [{id: "%s", url: "%s", itpm: %d}]
    """
        .formatted(path, path.substring(1), traffic.url(), CachedTraffic.ITPM);
  }

  private static String url(RunningGateway gateway, String path) {
    return "http://127.0.0.1:" + gateway.port() + path + "/v1/messages";
  }

  /**
   * Clients of one endpoint.
   *
   * @param least the share of the limit that they have to use
   */
  private record Run(String name, CachedTraffic traffic, int conversations, double least) {}

  private void print() {
    System.out.println(figureTable);
    assertThat(figureTable.toString()).doesNotContain("NOT MET");
  }

  /** Adds a row for each minute. */
  private void minutes(String name, CachedTraffic traffic, List<Sample> samples) {
    for (int i = 1; i < samples.size(); i++) {
      Sample before = samples.get(i - 1);
      Sample after = samples.get(i);
      figureTable.add(
          name + ", minute " + i,
          true,
          "%.1f %% used, %d x 429 at the provider, %d not served"
              .formatted(
                  100 * traffic.used(before, after),
                  after.refused() - before.refused(),
                  after.notServed() - before.notServed()));
    }
  }

  /**
   * Adds a row for each minute, and one for the share that all of them used together: of requests
   * as large as a tenth of the limit, a single minute has one more or less.
   */
  private void full(String name, CachedTraffic traffic, List<Sample> samples, double least) {
    minutes(name, traffic, samples);
    double used = traffic.used(samples.getFirst(), samples.getLast());
    figureTable.add(
        "  together, at least %.0f %%".formatted(100 * least),
        used >= least,
        "%.1f %%".formatted(100 * used));
  }

  private void onlyServed(String name, Sample sample) {
    figureTable.add(
        name + ", clients got 200 only",
        sample.answers().keySet().equals(Set.of(CachedTraffic.SERVED)),
        sample.answers().toString());
  }

  @Test
  @Timeout(1200)
  void streamedAnswers_useTheQuotaThatCountsUncachedInput() throws Exception {
    try (MockProvider provider = MockProvider.start(Ticker.system())) {
      List<Run> runs = new ArrayList<>();
      StringBuilder routes = new StringBuilder("endpoints:\n");
      for (int seconds : List.of(5, 10, 30)) {
        CachedTraffic traffic = CachedTraffic.of(provider, seconds, MINUTE);
        routes.append(endpoint("/s" + seconds, traffic));
        runs.add(new Run("s" + seconds, traffic, 1, FULL));
      }
      CachedTraffic own = CachedTraffic.of(provider, 10.5, MINUTE);
      routes.append(endpoint("/own", own));
      runs.add(new Run("own", own, CONVERSATIONS, FULL));
      try (RunningGateway gateway = RunningGateway.start(routes.toString(), MINUTE)) {
        List<List<Sample>> samples = new ArrayList<>();
        for (Run run : runs) {
          samples.add(new ArrayList<>(List.of(run.traffic().sample())));
          run.traffic().ask(CLIENTS, List.of(url(gateway, "/" + run.name())), run.conversations());
        }
        for (int minute = 1; minute <= 2 + MINUTES; minute++) {
          for (int i = 0; i < runs.size(); i++) {
            Sample first = samples.get(i).getFirst();
            samples.get(i).add(runs.get(i).traffic().after(first, minute));
          }
        }
        runs.forEach(run -> run.traffic().close());
        for (int i = 0; i < runs.size(); i++) {
          Run run = runs.get(i);
          minutes(run.name() + " first", run.traffic(), samples.get(i).subList(0, 3));
          List<Sample> later = samples.get(i).subList(2, samples.get(i).size());
          full(run.name() + " full", run.traffic(), later, run.least());
          figureTable.add(
              run.name() + ", 429 at the provider, 0",
              later.getLast().refused() == 0,
              "" + later.getLast().refused());
          onlyServed(run.name(), later.getLast());
        }
      } finally {
        runs.forEach(run -> run.traffic().close());
      }
    }
    print();
  }

  @Test
  @Timeout(1200)
  void cacheThatStopsWorking_isNoticed() throws Exception {
    try (MockProvider provider = MockProvider.start(Ticker.system());
        CachedTraffic traffic = CachedTraffic.of(provider, 10, MINUTE);
        RunningGateway gateway =
            RunningGateway.start("endpoints:\n" + endpoint("/a", traffic), MINUTE)) {
      List<Sample> before = new ArrayList<>(List.of(traffic.sample()));
      traffic.ask(PATIENT_CLIENTS, List.of(url(gateway, "/a")), 1);
      for (int minute = 1; minute <= 3; minute++) {
        before.add(traffic.after(before.getFirst(), minute));
      }
      traffic.cacheReadable(false);
      List<Sample> broken = new ArrayList<>(List.of(before.getLast()));
      for (int minute = 1; minute <= STOPPED_MINUTES; minute++) {
        broken.add(traffic.after(before.getLast(), minute));
      }
      traffic.cacheReadable(true);
      List<Sample> mended = new ArrayList<>(List.of(broken.getLast()));
      for (int minute = 1; minute <= 2 + MINUTES; minute++) {
        mended.add(traffic.after(broken.getLast(), minute));
      }
      traffic.close();
      double whole =
          (double) (CachedTraffic.ITPM / CachedTraffic.PROMPT * CachedTraffic.PROMPT)
              / CachedTraffic.ITPM;
      minutes("cache works", traffic, before);
      minutes("cache stops", traffic, broken.subList(0, 3));
      full("cache stopped", traffic, broken.subList(2, broken.size()), FULL * whole);
      minutes("cache works again", traffic, mended.subList(0, 3));
      full("cache works after", traffic, mended.subList(2, mended.size()), FULL);
      for (int i = 1; i < broken.size(); i++) {
        long refused = broken.get(i).refused() - broken.get(i - 1).refused();
        figureTable.add(
            "stop, minute " + i + ", 429 at the provider, at most 1", refused <= 1, "" + refused);
      }
      onlyServed("all", traffic.sample());
    }
    print();
  }

  @Test
  @Timeout(1200)
  void threeInstancesWithExactSharing_useTheQuotaTogether() throws Exception {
    String namespace = "cache-" + UUID.randomUUID();
    String redis = "--penstock.redis.url=" + RedisServer.shared().url();
    String name = "--penstock.redis.namespace=" + namespace;
    try (MockProvider provider = MockProvider.start(Ticker.system());
        CachedTraffic traffic = CachedTraffic.of(provider, 10, MINUTE)) {
      String routes =
          "endpoints:\n" + endpoint("/a", traffic).replace("itpm:", "sharing: exact, itpm:");
      try (RunningGateway one = RunningGateway.start(routes, MINUTE, redis, name);
          RunningGateway two = RunningGateway.start(routes, MINUTE, redis, name);
          RunningGateway three = RunningGateway.start(routes, MINUTE, redis, name)) {
        List<Sample> samples = new ArrayList<>(List.of(traffic.sample()));
        traffic.ask(CLIENTS, List.of(url(one, "/a"), url(two, "/a"), url(three, "/a")), 1);
        for (int minute = 1; minute <= 2 + MINUTES; minute++) {
          samples.add(traffic.after(samples.getFirst(), minute));
        }
        traffic.close();
        minutes("three first", traffic, samples.subList(0, 3));
        full("three full", traffic, samples.subList(2, samples.size()), FULL_TOGETHER);
        figureTable.add(
            "three, 429 at the provider, 0",
            samples.getLast().refused() == 0,
            "" + samples.getLast().refused());
        onlyServed("three", samples.getLast());
      }
    }
    print();
  }
}
