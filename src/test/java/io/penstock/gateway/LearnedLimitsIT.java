package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.MachineStalls;
import io.penstock.fake.OneFileGateway;
import io.penstock.mainjob.SaturatingCallers;
import io.penstock.mock.MockAddress;
import io.penstock.mock.MockProvider;
import io.penstock.suite.TaggedTests;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests providers that accept 30 % less than is configured, and answer 429 to everything above: one
 * tells in its headers what is left, the other only when to retry.
 */
@Order(2) // takes long
@Tag(TaggedTests.FULL)
class LearnedLimitsIT {
  private static final Duration WINDOW = Duration.ofSeconds(10);

  /** Number of windows: a first one in which the gateway learns the limit, and those that count. */
  private static final int WINDOWS = 5;

  private static final long CONFIGURED = 60_000;
  private static final long TRUE_LIMIT = CONFIGURED * 7 / 10;
  private static final int LEAST_TOKENS = 200;
  private static final int MOST_TOKENS = 1_000;
  private static final int CLIENTS = 30;

  /**
   * Attempts while the machine is busy: after a stall, requests come in a bunch, and the provider's
   * refusals say nothing about the gateway.
   */
  private static final int ATTEMPTS = 3;

  @TempDir private Path directory;

  /** Runs of the two endpoints, and the stalls of the machine meanwhile. */
  private record Measured(Run withHeaders, Run without, MachineStalls stalls) {
    void assertPrecise() {
      double stalled = stalls.largestShare(WINDOW.toNanos());
      for (Run run : List.of(withHeaders, without)) {
        assertThat(run.answers()).hasSizeGreaterThan(WINDOWS * 50);
      }
      assertThat(withHeaders.refusedLater()).allMatch(refused -> refused <= 1);
      assertThat(withHeaders.used()).isBetween(0.9 - stalled, 1.01);
      assertThat(without.used()).isBetween(0.8 - stalled, 1.01);
      assertThat(without.refusals()).isNotEmpty();
    }
  }

  @Test
  void providersThatTakeLessThanConfigured_areUsedUpAndAnswerEveryone()
      throws IOException, InterruptedException {
    Measured measured = measure();
    for (int attempt = 1;
        measured.stalls().busy(WINDOW.toNanos()) && attempt < ATTEMPTS;
        attempt++) {
      measured = measure();
    }
    measured.stalls().unlessBusy(WINDOW.toNanos(), measured::assertPrecise);
  }

  private Measured measure() throws IOException, InterruptedException {
    Ticker ticker = Ticker.system();
    MockAddress announced = address("all");
    MockAddress silent = address("none");
    try (MachineStalls stalls = new MachineStalls();
        MockProvider provider = MockProvider.start(ticker);
        OneFileGateway oneFileGateway =
            OneFileGateway.start(
                directory,
                routes(
                    provider.baseUrl(announced),
                    provider.baseUrl(silent),
                    provider.baseUrl(MockAddress.parse(URI.create("mock://openai")))),
                WINDOW)) {
      SaturatingCallers.warmUp(oneFileGateway.url("/warm"), ticker);
      try (Refusals announcedRefusals = new Refusals(provider, announced, ticker);
          Refusals silentRefusals = new Refusals(provider, silent, ticker);
          SaturatingCallers announcedCallers =
              new SaturatingCallers(oneFileGateway.url("/announced"), ticker);
          SaturatingCallers silentCallers =
              new SaturatingCallers(oneFileGateway.url("/silent"), ticker)) {
        long begin = ticker.nanos();
        long end = begin + WINDOWS * WINDOW.toNanos();
        announcedCallers.begin(CLIENTS, LEAST_TOKENS, MOST_TOKENS, end);
        silentCallers.begin(CLIENTS, LEAST_TOKENS, MOST_TOKENS, end);
        Run withHeaders = new Run(announcedCallers.end(), announcedRefusals.all(), begin);
        Run without = new Run(silentCallers.end(), silentRefusals.all(), begin);
        withHeaders.print("limit announced in headers");
        without.print("only Retry-After");
        withHeaders.assertServed();
        without.assertServed();
        double stalled = stalls.largestShare(WINDOW.toNanos());
        System.out.printf("stalled for at most %.1f %% of a window%n", 100 * stalled);
        return new Measured(withHeaders, without, stalls);
      }
    }
  }

  private static MockAddress address(String headers) {
    String address =
        "mock://openai?tokens=10&tpm=%d&window=%ds&headers=%s"
            .formatted(TRUE_LIMIT, WINDOW.toSeconds(), headers);
    return MockAddress.parse(URI.create(address));
  }

  private static String routes(URI announced, URI silent, URI unlimited) {
    return """
    endpoints:
      - path: /announced
        dialect: openai
        upstreams: [{id: announced, url: "%s", tpm_limit: %d}]
      - path: /silent
        dialect: openai
        upstreams: [{id: silent, url: "%s", tpm_limit: %d}]
      - path: /warm
        dialect: openai
        upstreams: [{id: warm, url: "%s"}]
    """
        .formatted(announced, CONFIGURED, silent, CONFIGURED, unlimited);
  }

  /** Times at which an address of the mock provider answered 429, to within a few milliseconds. */
  private static final class Refusals implements AutoCloseable {
    private final ScheduledExecutorService looks = Executors.newSingleThreadScheduledExecutor();
    private final ConcurrentLinkedQueue<Long> instants = new ConcurrentLinkedQueue<>();

    Refusals(MockProvider provider, MockAddress address, Ticker ticker) {
      var _ =
          looks.scheduleWithFixedDelay(
              () -> {
                long refused = provider.stats(address).refused();
                while (instants.size() < refused) {
                  instants.add(ticker.nanos());
                }
              },
              0,
              10,
              TimeUnit.MILLISECONDS);
    }

    List<Long> all() {
      return List.copyOf(instants);
    }

    @Override
    public void close() {
      looks.shutdownNow();
    }
  }

  /** Answers to the requests of one endpoint, and the times of refusals. */
  private record Run(List<SaturatingCallers.Answer> answers, List<Long> refusals, long begin) {
    private int window(long at) {
      return Math.toIntExact((at - begin) / WINDOW.toNanos());
    }

    /** Returns the number of 429s in each window. */
    private List<Integer> refused() {
      List<Integer> counts = new ArrayList<>(Collections.nCopies(WINDOWS + 2, 0));
      for (long at : refusals) {
        int window = Math.min(window(at), WINDOWS + 1); // later ones only on a busy machine
        counts.set(window, counts.get(window) + 1);
      }
      return counts;
    }

    List<Integer> refusedLater() {
      return refused().subList(1, refused().size());
    }

    /** Returns the tokens served in a window as a share of what the provider accepts in one. */
    private double used(int window) {
      long tokens =
          answers.stream()
              .filter(answer -> window(answer.at()) == window)
              .mapToLong(SaturatingCallers.Answer::tokens)
              .sum();
      return (double) tokens / TRUE_LIMIT;
    }

    /** Returns the average share served after the first window until the last request was sent. */
    double used() {
      return IntStream.range(1, WINDOWS).mapToDouble(this::used).average().orElse(0);
    }

    void assertServed() {
      assertThat(answers).allMatch(answer -> answer.status() == 200);
    }

    void print(String name) {
      List<String> each =
          IntStream.range(0, WINDOWS).mapToObj(at -> "%.3f".formatted(used(at))).toList();
      long failed = answers.stream().filter(answer -> answer.status() != 200).count();
      System.out.println(
          "%s: %d requests, %d without a 200, %.1f %% of the provider's limit used; by window %s, 429s %s"
              .formatted(name, answers.size(), failed, 100 * used(), each, refused()));
    }
  }
}
