package io.penstock.mainjob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.openai.errors.RateLimitException;
import io.penstock.clients.SdkClients;
import io.penstock.cost.CostDimension;
import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.EndpointTotals;
import io.penstock.event.Event;
import io.penstock.fake.FixedChecker;
import io.penstock.fake.OneFileGateway;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.ProviderChecker;
import io.penstock.fake.StrictProvider;
import io.penstock.fake.TrailingChecker;
import io.penstock.limit.LimitSpec;
import io.penstock.suite.TaggedTests;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the main job, end to end, with the providers' own clients and checkers that answer 429. */
@Order(2) // takes long
@Tag(TaggedTests.FULL)
class MainJobIT {
  private static final int CALLS_EACH = 640;
  private static final int MAX_SKIPS = 64;

  /**
   * Least share of a window that has to be used; the share of a window for which the machine
   * stalled is subtracted from it.
   */
  private static final double LEAST_USED = 0.95;

  /**
   * Burst of the limits, in seconds of their rate. Tokens that are spent in one burst come back in
   * one a window later, so that in between a trailing window lacks all of them: with the default of
   * 5 of 60 seconds, a twelfth of the limit. Smaller bursts let every window be full.
   */
  private static final double BURST_SECONDS =
      Double.parseDouble(System.getProperty("penstock.burst-seconds", "0.5"));

  /**
   * Attempts while the machine is busy: requests reach the provider closer together than they were
   * released, by more than the gateway allows for. An attempt that is not precise then tells
   * nothing about the gateway and is repeated.
   */
  private static final int ATTEMPTS = 3;

  @TempDir private Path directory;

  @Test
  void fiveTimesTheBudget_everyoneIsServedAndNobodySays429()
      throws IOException, InterruptedException {
    for (int attempt = 1; !isDone(attempt); attempt++) {
      say("attempt %d of %d failed while the machine stood still".formatted(attempt, ATTEMPTS));
    }
  }

  /** Returns whether an attempt was a success; false when the machine stalled too much. */
  private boolean isDone(int attempt) throws IOException, InterruptedException {
    Path own = Files.createDirectory(directory.resolve("attempt-" + attempt));
    try (MainJob job = new MainJob(own, "burst_seconds: " + BURST_SECONDS)) {
      job.warmUp();
      job.run(CALLS_EACH);
      assertServed(job);
      for (String path : List.of("/openai", "/anthropic", "/window")) {
        // the last answers reach their clients before the gateway has counted them
        PatientWaits.await()
            .untilAsserted(() -> assertBalanced(job.gateway.endpoint(path).totals()));
      }
      if (attempt == ATTEMPTS) {
        job.stalls.unlessBusy(MainJob.WINDOW.toNanos(), () -> assertPrecise(job));
        return true;
      }
      try {
        assertPrecise(job);
        return true;
      } catch (AssertionError failed) {
        if (!job.stalls.busy(MainJob.WINDOW.toNanos())) {
          throw failed;
        }
        say(failed.toString());
        return false;
      }
    }
  }

  private static void assertPrecise(MainJob job) {
    print(job);
    assertThat(List.of(job.openAi, job.anthropic, job.windowed))
        .allSatisfy(provider -> assertThat(provider.refused()).isZero());
    assertWithinLimits(job);
    assertUsed(job);
    assertInOrder(job.openAiLog, CostDimension.STATED);
    assertInOrder(job.anthropicLog, CostDimension.OUTPUT);
    assertInOrder(job.windowLog, CostDimension.TOTAL);
  }

  /**
   * Tests that the checkers do not accept everything: without limits in the gateway they answer
   * 429.
   */
  @Test
  void withoutLimits_theProvidersSay429() throws IOException {
    Ticker ticker = Ticker.system();
    TrailingChecker tokens = new TrailingChecker(3_000, MainJob.WINDOW.toNanos());
    TrailingChecker requests = new TrailingChecker(100, MainJob.WINDOW.toNanos());
    TrailingChecker input = new TrailingChecker(100_000, MainJob.WINDOW.toNanos());
    TrailingChecker output = new TrailingChecker(3_000, MainJob.WINDOW.toNanos());
    FixedChecker windows = new FixedChecker(3_000, MainJob.WINDOW.toNanos(), 250_000_000L);
    try (StrictProvider chats =
            StrictProvider.openAi(ticker, new ProviderChecker.OpenAi(requests, tokens));
        StrictProvider messages =
            StrictProvider.anthropic(
                ticker, new ProviderChecker.Anthropic(requests, input, output));
        StrictProvider windowed =
            StrictProvider.openAi(ticker, new ProviderChecker.Windows(windows));
        OneFileGateway oneFileGateway =
            OneFileGateway.start(directory, unlimited(chats, messages, windowed), MainJob.WINDOW);
        SdkClients chatClients = new SdkClients(oneFileGateway.url("/chats"));
        SdkClients windowClients = new SdkClients(oneFileGateway.url("/windowed"));
        SdkClients messageClients = new SdkClients(oneFileGateway.url("/messages"))) {
      Random random = new Random(1);
      assertRefused(RateLimitException.class, chatClients, ClientCall.chats(10, random));
      assertRefused(RateLimitException.class, windowClients, ClientCall.mixed(10, random));
      assertRefused(
          com.anthropic.errors.RateLimitException.class,
          messageClients,
          ClientCall.messages(10, random));
      for (StrictProvider provider : List.of(chats, messages, windowed)) {
        // one request, which is sent again five times before the client is told
        assertThat(provider.refused()).isEqualTo(6);
      }
    }
  }

  private static String unlimited(
      StrictProvider chats, StrictProvider messages, StrictProvider windowed) {
    return """
    endpoints:
      - {path: /chats, dialect: openai, upstreams: [{id: chats, url: "%s"}]}
      - {path: /messages, dialect: anthropic, upstreams: [{id: messages, url: "%s"}]}
      - {path: /windowed, dialect: openai, upstreams: [{id: windowed, url: "%s"}]}
    """
        .formatted(chats.url(), messages.url(), windowed.url());
  }

  private static void assertRefused(
      Class<? extends RuntimeException> error, SdkClients clients, List<ClientCall> calls) {
    assertThatThrownBy(() -> calls.forEach(clients::perform)).isInstanceOf(error);
  }

  private static void assertServed(MainJob job) {
    assertThat(job.outcomes).hasSize(3 * CALLS_EACH);
    assertThat(job.outcomes)
        .allSatisfy(
            outcome -> {
              assertThat(outcome.error()).isNull();
              assertThat(outcome.outputTokens())
                  .isEqualTo((long) outcome.call().maxTokens() * outcome.call().answers());
            });
    assertThat(List.of(job.openAi, job.anthropic, job.windowed))
        .allSatisfy(provider -> assertThat(provider.served()).isEqualTo(CALLS_EACH));
    for (TrailingChecker checker : List.of(job.openAiTokens, job.anthropicOutput)) {
      assertThat(checker.total()).isGreaterThan(5 * MainJob.LIMIT);
      assertThat(checker.total()).isLessThanOrEqualTo(CALLS_EACH * MainJob.LIMIT * 8 / 1_000);
    }
    assertThat(job.windowTokens.total()).isGreaterThan(5 * MainJob.LIMIT);
  }

  private static void assertWithinLimits(MainJob job) {
    assertThat(job.openAiTokens.most()).isLessThanOrEqualTo(MainJob.LIMIT);
    assertThat(job.anthropicOutput.most()).isLessThanOrEqualTo(MainJob.LIMIT);
    assertThat(job.anthropicInput.most()).isLessThanOrEqualTo(MainJob.INPUT_LIMIT);
    assertThat(job.windowTokens.most()).isLessThanOrEqualTo(MainJob.LIMIT);
  }

  private static void assertUsed(MainJob job) {
    double least = LEAST_USED - job.stalls.largestShare(MainJob.WINDOW.toNanos());
    assertThat(leastUsed(job, job.openAiLog, CostDimension.STATED, job.openAiTokens))
        .isGreaterThanOrEqualTo(least);
    assertThat(leastUsed(job, job.anthropicLog, CostDimension.OUTPUT, job.anthropicOutput))
        .isGreaterThanOrEqualTo(least);
    assertThat(leastUsedWindow(job)).isGreaterThanOrEqualTo(least);
  }

  /** Returns the share used of the least used trailing window while twice the limit was queued. */
  private static double leastUsed(
      MainJob job, JobReleases log, CostDimension size, TrailingChecker checker) {
    JobReleases.Stretch queued = log.queued(size, 2 * MainJob.LIMIT);
    long from = queued.fromNanos() + job.shiftNanos() + checker.windowNanos();
    long to = queued.toNanos() + job.shiftNanos();
    assertThat(to - from).isGreaterThan(checker.windowNanos());
    return (double) checker.least(from, to) / checker.limit();
  }

  /** Returns the same for fixed windows: by the releases in each, and their output. */
  private static double leastUsedWindow(MainJob job) {
    JobReleases.Stretch queued = job.windowLog.queued(CostDimension.TOTAL, MainJob.LIMIT);
    long shift = job.shiftNanos();
    long first = job.windowTokens.window(queued.fromNanos() + shift) + 1;
    long end = job.windowTokens.window(queued.toNanos() + shift);
    assertThat(end - first).isGreaterThanOrEqualTo(2);
    double least = 1;
    for (long window = first; window < end; window++) {
      least = Math.min(least, (double) usedIn(job, window, shift) / MainJob.LIMIT);
    }
    return least;
  }

  private static long usedIn(MainJob job, long window, long shift) {
    long input =
        job.windowLog.of(Event.Released.class).stream()
            .filter(released -> job.windowTokens.window(released.atNanos() + shift) == window)
            .mapToLong(released -> released.cost().inputTokens())
            .sum();
    return input + job.windowTokens.produced(window);
  }

  private static void assertInOrder(JobReleases log, CostDimension size) {
    JobReleases.Order order = log.order(size);
    assertThat(log.of(Event.Released.class)).hasSize(CALLS_EACH);
    assertThat(log.of(Event.Queued.class)).hasSizeGreaterThan(CALLS_EACH * 3 / 4);
    assertThat(order.unfair()).isEmpty();
    assertThat(order.mostPassed()).isLessThanOrEqualTo(MAX_SKIPS);
  }

  private static void assertBalanced(EndpointTotals endpointTotals) {
    assertThat(endpointTotals.requests(TicketFate.OFFERED)).isEqualTo(CALLS_EACH);
    assertThat(endpointTotals.requests(TicketFate.SERVED)).isEqualTo(CALLS_EACH);
    assertThat(endpointTotals.tokens(TicketFate.SERVED))
        .isEqualTo(endpointTotals.tokens(TicketFate.OFFERED));
    for (TicketFate fate : List.of(TicketFate.WAITING, TicketFate.RUNNING)) {
      assertThat(endpointTotals.requests(fate)).isZero();
      assertThat(endpointTotals.tokens(fate)).isZero();
      assertThat(endpointTotals.bytes(fate)).isZero();
    }
  }

  private static void print(MainJob job) {
    say("main job: %d calls, window %d s".formatted(3 * CALLS_EACH, MainJob.WINDOW.toSeconds()));
    say(
        "%-10s %6s %5s %9s %7s %7s %7s %6s"
            .formatted("", "served", "429", "of limit", "least", "most", "passed", "jitter"));
    line(
        "openai",
        job.openAi,
        job.openAiTokens,
        job.openAiLog,
        CostDimension.STATED,
        leastUsed(job, job.openAiLog, CostDimension.STATED, job.openAiTokens));
    line(
        "anthropic",
        job.anthropic,
        job.anthropicOutput,
        job.anthropicLog,
        CostDimension.OUTPUT,
        leastUsed(job, job.anthropicLog, CostDimension.OUTPUT, job.anthropicOutput));
    JobReleases.Order order = job.windowLog.order(CostDimension.TOTAL);
    say(
        "%-10s %6d %5d %8.2fx %6.1f%% %6.1f%% %4d/%2d"
            .formatted(
                "window",
                job.windowed.served(),
                job.windowed.refused(),
                (double) job.windowTokens.total() / MainJob.LIMIT,
                100 * leastUsedWindow(job),
                100.0 * job.windowTokens.most() / MainJob.LIMIT,
                order.passed(),
                order.mostPassed()));
    LimitSpec trailing =
        new LimitSpec.TrailingWindow(
            MainJob.LIMIT,
            MainJob.WINDOW.toNanos(),
            50_000_000,
            Math.max(1, (long) (MainJob.LIMIT * BURST_SECONDS / 60)));
    waits("openai", ComputedWaits.of(job.openAiLog, trailing, CostDimension.STATED));
    LimitSpec fixed = new LimitSpec.FixedWindow(MainJob.LIMIT, MainJob.WINDOW.toNanos());
    waits("window", ComputedWaits.of(job.windowLog, fixed, CostDimension.TOTAL));
    say(
        "a bare timer asked for the same delays: late by p50 %.2f ms, p95 %.2f ms"
            .formatted(
                ComputedWaits.millis(job.timer.late(), 0.5),
                ComputedWaits.millis(job.timer.late(), 0.95)));
    say(
        "the machine had no time for this JVM for at most %.1f %% of a window"
            .formatted(100 * job.stalls.largestShare(MainJob.WINDOW.toNanos())));
  }

  private static void line(
      String name,
      StrictProvider provider,
      TrailingChecker checker,
      JobReleases log,
      CostDimension size,
      double leastUsed) {
    JobReleases.Order order = log.order(size);
    long jitter = log.all().stream().mapToLong(JobReleases.Noted::jitterNanos).max().orElse(0);
    say(
        "%-10s %6d %5d %8.2fx %6.1f%% %6.1f%% %4d/%2d %3d ms"
            .formatted(
                name,
                provider.served(),
                provider.refused(),
                (double) checker.total() / checker.limit(),
                100 * leastUsed,
                100.0 * checker.most() / checker.limit(),
                order.passed(),
                order.mostPassed(),
                jitter / 1_000_000));
  }

  private static void waits(String name, ComputedWaits waits) {
    say(
        "%s waits, p50/p95: measured %.0f/%.0f ms, computed %.0f/%.0f ms, late %.2f/%.2f ms"
            .formatted(
                name,
                ComputedWaits.millis(waits.measured(), 0.5),
                ComputedWaits.millis(waits.measured(), 0.95),
                ComputedWaits.millis(waits.computed(), 0.5),
                ComputedWaits.millis(waits.computed(), 0.95),
                ComputedWaits.millis(waits.late(), 0.5),
                ComputedWaits.millis(waits.late(), 0.95)));
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
