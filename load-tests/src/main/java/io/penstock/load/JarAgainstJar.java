package io.penstock.load;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code jar-against-jar}: whether a new jar of Penstock is faster or slower than an old one, and
 * whether it takes more memory. First the old jar is measured against itself, in two processes;
 * what it seems to differ from itself by is the noise. Then the new jar is measured against the old
 * one in the same way. A difference counts only where its whole interval is outside the noise.
 */
final class JarAgainstJar implements Scenario {
  /** The fewest pairs of which a result is reported. */
  static final int FEWEST_PAIRS = 7;

  private static final String OLD = "old";
  private static final String NEW = "new";

  @Override
  public String name() {
    return "jar-against-jar";
  }

  /** Fails where so many pairs would be too few for a result. */
  static void check(int pairs, boolean smoke) throws IOException {
    if (!smoke && pairs < FEWEST_PAIRS) {
      throw new IOException(
          "pairs is %d, expected at least %d (-Dsmoke=true tries with fewer, without a result)"
              .formatted(pairs, FEWEST_PAIRS));
    }
  }

  private static JarRounds.Plan plan(Settings settings) {
    boolean smoke = Settings.smoke();
    int pairs = settings.pairs(smoke ? 2 : FEWEST_PAIRS);
    Duration saturated = settings.stretch(smoke ? 2 : 4);
    Duration steady = saturated.plusSeconds(2);
    return new JarRounds.Plan(pairs, saturated, steady, settings.warmup(smoke ? 10 : 60));
  }

  @Override
  public Duration longest(Settings settings) {
    return plan(settings).length().multipliedBy(4).plus(JarSource.BUILD.multipliedBy(2));
  }

  @Override
  public Report run(Settings settings) throws IOException, InterruptedException {
    JarRounds.Plan plan = plan(settings);
    check(plan.pairs(), Settings.smoke());
    Path made = settings.made(name());
    JarSource source = new JarSource(made, settings.root());
    Path old = source.jar(OLD, Settings.text(OLD));
    Path now = source.jar(NEW, Settings.text(NEW, settings.jar().toString()));
    System.out.printf(
        "%s: %d pairs of the old jar against itself, then %d of the new one against the old one;"
            + " about %d minutes%n",
        name(), plan.pairs(), plan.pairs(), 2 * plan.length().plusSeconds(29).toMinutes());
    Map<String, Path> twice = new LinkedHashMap<>();
    twice.put(OLD, old);
    twice.put("old again", old);
    JarRounds.Outcome noise = JarRounds.of(twice, made, settings, plan);
    System.out.println("\nThe noise: the old jar against itself\n" + noise.values().table());
    Map<String, Path> both = new LinkedHashMap<>();
    both.put(OLD, old);
    both.put(NEW, now);
    return report(plan, noise, JarRounds.of(both, made, settings, plan), List.of(old, now));
  }

  private Report report(
      JarRounds.Plan plan, JarRounds.Outcome noise, JarRounds.Outcome outcome, List<Path> jars) {
    boolean result = !Settings.smoke();
    String title =
        "%s%s: %d pairs; old is %s, new is %s; %s"
            .formatted(
                result ? "" : "NOT A RESULT (smoke) – ",
                name(),
                plan.pairs(),
                jars.getFirst().getFileName(),
                jars.getLast().getFileName(),
                Machine.described());
    String table = outcome.values().table(noise.values()) + outcome.direct() + explained();
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("jars", jars.stream().map(Path::toString).toList());
    details.put("result", result);
    details.put("noise", noise.values().details());
    details.put("pairs", outcome.values().details());
    details.put("direct_p50_ms", outcome.directMedianMillis());
    details.put("direct_p99_ms", outcome.directTailMillis());
    List<Figure> figures = result ? outcome.values().figures(noise.values()) : List.of();
    return new Report(title, table, figures, details, true);
  }

  private static String explained() {
    return """
    Values are medians; a ratio is new ÷ old, the Hodges–Lehmann estimate of its pairs, with the
    interval of the signed-rank test. Noise is the same of the old jar against itself. A ratio
    counts where its interval is farther from 1 than both ends of the noise. Everything is measured
    from outside the jars: over HTTP at %d requests/s or saturated, and from the JVM's own counters.
    """
        .formatted(MeasuredGateway.PER_SECOND);
  }
}
