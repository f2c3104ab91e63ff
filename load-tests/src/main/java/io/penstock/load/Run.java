package io.penstock.load;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs the scenario that is asked for, or all of them, and prints what they came to. */
final class Run {
  private static final String ALL = "all";

  /** How long one that was broken off has to end what it started. */
  private static final Duration CLOSE = Duration.ofSeconds(90);

  private static final List<Scenario> SCENARIOS =
      List.of(
          Overhead.whole(),
          new GatlingRun("02-saturated", "io.penstock.load.Saturated", 2),
          new Streaming(),
          new ManyKeys(),
          new GatlingRun("05-fairness", "io.penstock.load.Fairness", 1),
          new RedisAway(),
          new Parked(),
          new Rolling(),
          new FirstSeconds(),
          new Ceiling(),
          new FirstMinute(),
          new Promises(),
          new TwoTenants(),
          new WrongUpstreams(),
          new Soak());

  /** Those that need to be told something, and are no part of {@code all}. */
  private static final List<Scenario> ASKED_ALONE = List.of(new JarAgainstJar());

  private final Settings settings;

  private Run(Settings settings) {
    this.settings = settings;
  }

  /**
   * Runs what the system property {@code scenario} names: one of them, {@code short} for the first
   * one in less than a minute, or {@code all}. Ends with 0 if all was measured that can be on this
   * machine and nothing failed, with {@code short} if no goal is missed either; with 2 if there is
   * no such scenario; else with 1.
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    String asked = System.getProperty("scenario", ALL);
    Run run = new Run(Settings.told());
    Scenario quick = Overhead.quick();
    int status;
    if (asked.equals(ALL)) {
      status = run.all();
    } else if (asked.equals(quick.name())) {
      Report report = run.one(quick);
      status = report.good() && report.met() ? 0 : 1;
    } else {
      List<Scenario> every = Stream.concat(SCENARIOS.stream(), ASKED_ALONE.stream()).toList();
      List<Scenario> named = every.stream().filter(each -> each.name().equals(asked)).toList();
      if (named.isEmpty()) {
        List<String> names = every.stream().map(Scenario::name).toList();
        System.err.println(
            "scenario is '%s', expected all, short or one of %s".formatted(asked, names));
        System.exit(2);
      }
      status = run.one(named.getFirst()).good() ? 0 : 1;
    }
    System.exit(status);
  }

  private int all() throws IOException, InterruptedException {
    List<Figure> figures = new ArrayList<>();
    boolean good = true;
    for (Scenario each : SCENARIOS) {
      Report report = one(each);
      figures.addAll(report.figures());
      good &= report.good();
    }
    Report whole = new Report("all: " + Machine.described(), "", figures, Map.of(), good);
    whole.write(settings.directory(), ALL);
    System.out.println(whole.text());
    return good ? 0 : 1;
  }

  /** Runs one, prints and writes what it came to, also that it came to nothing. */
  private Report one(Scenario scenario) throws IOException, InterruptedException {
    Report report;
    try {
      report = bounded(scenario);
    } catch (IOException e) {
      report = none(scenario, reason(e));
    } catch (ExecutionException e) {
      report = none(scenario, reason(e.getCause()));
    }
    report.write(settings.directory(), scenario.name());
    System.out.println(report.text());
    return report;
  }

  private static String reason(@Nullable Throwable failure) {
    return failure instanceof IOException ? String.valueOf(failure.getMessage()) : "" + failure;
  }

  private Report none(Scenario scenario, String reason) {
    String title = scenario.name() + ": not measured; " + Machine.described();
    Figure missing = Figure.missing(scenario.name(), "–", "", reason.replaceAll("\\s+", " "));
    return new Report(title, "", List.of(missing), Map.of(), false);
  }

  private Report bounded(Scenario scenario)
      throws IOException, InterruptedException, ExecutionException {
    ExecutorService thread =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
    Future<Report> running = thread.submit(() -> scenario.run(settings));
    Duration longest = scenario.longest(settings);
    try {
      return running.get(longest.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IOException("broken off: it took longer than " + longest, e);
    } finally {
      thread.shutdownNow();
      if (!thread.awaitTermination(CLOSE.toSeconds(), TimeUnit.SECONDS)) {
        System.err.println(scenario.name() + " does not end what it started");
      }
    }
  }
}
