package io.penstock.mainjob;

import io.penstock.clients.SdkClients;
import io.penstock.event.Event;
import io.penstock.fake.FixedChecker;
import io.penstock.fake.MachineStalls;
import io.penstock.fake.OneFileGateway;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.ProviderChecker;
import io.penstock.fake.StrictProvider;
import io.penstock.fake.TrailingChecker;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One run of the main job: within one window, the clients of three endpoints ask for five times
 * what their limits allow in a window. Two endpoints have upstream limits, the third has a token
 * window of its own; each has a provider with a checker of its own.
 */
final class MainJob implements AutoCloseable {
  static final Duration WINDOW = Duration.ofSeconds(12);
  static final long LIMIT = 100_000;
  static final long INPUT_LIMIT = 60_000;
  static final long REQUEST_LIMIT = 250;

  private static final long SEED = 20_250_601;
  private static final int WARM_UPS = 150;

  /**
   * Time between the starts of two calls: together they ask five times faster than the limits
   * allow.
   */
  private static final Duration STEP = Duration.ofMillis(6);

  private static final int FIRST_CALLS = 10;

  /** Outcome of one call: its output or its error. */
  record Outcome(ClientCall call, long outputTokens, @Nullable Throwable error) {}

  final Ticker ticker = Ticker.system();
  final TrailingChecker openAiTokens = new TrailingChecker(LIMIT, WINDOW.toNanos());
  final TrailingChecker anthropicOutput = new TrailingChecker(LIMIT, WINDOW.toNanos());
  final TrailingChecker anthropicInput = new TrailingChecker(INPUT_LIMIT, WINDOW.toNanos());
  final FixedChecker windowTokens = new FixedChecker(LIMIT, WINDOW.toNanos(), 250_000_000L);
  final StrictProvider openAi =
      StrictProvider.openAi(ticker, new ProviderChecker.OpenAi(requests(), openAiTokens));
  final StrictProvider anthropic =
      StrictProvider.anthropic(
          ticker, new ProviderChecker.Anthropic(requests(), anthropicInput, anthropicOutput));
  final StrictProvider windowed =
      StrictProvider.openAi(ticker, new ProviderChecker.Windows(windowTokens));
  final OneFileGateway gateway;
  final BareTimer timer = new BareTimer(ticker);
  final MachineStalls stalls = new MachineStalls();
  final JobReleases openAiLog = new JobReleases("/openai", this::jitter);
  final JobReleases anthropicLog = new JobReleases("/anthropic", this::jitter);
  final JobReleases windowLog = new JobReleases("/window", this::jitter);
  final ConcurrentLinkedQueue<Outcome> outcomes = new ConcurrentLinkedQueue<>();

  MainJob(Path directory, String upstreamLimits) throws IOException {
    gateway = OneFileGateway.start(directory, routes(upstreamLimits), WINDOW);
  }

  private static TrailingChecker requests() {
    return new TrailingChecker(REQUEST_LIMIT, WINDOW.toNanos());
  }

  private String routes(String limits) {
    String openAiLimits = "rpm_limit: %d, tpm_limit: %d".formatted(REQUEST_LIMIT, LIMIT);
    String anthropicLimits =
        "rpm_limit: %d, itpm: %d, otpm: %d".formatted(REQUEST_LIMIT, INPUT_LIMIT, LIMIT);
    // All prompts begin alike, so long ones wait for each other. When a window opens, later
    // requests take its room meanwhile; without cache_warmup: 0, /window would not be in order.
    return """
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: openai, url: "%s", %s, %s}]
      - path: /anthropic
        dialect: anthropic
        upstreams: [{id: anthropic, url: "%s", %s, %s}]
      - path: /window
        dialect: openai
        algorithm: token_window
        tokens_per_window: %d
        window_seconds: %d
        cache_warmup: 0
        upstreams: [{id: windowed, url: "%s"}]
      - path: /warm-openai
        dialect: openai
        upstreams: [{id: warm-openai, url: "%s"}]
      - path: /warm-anthropic
        dialect: anthropic
        upstreams: [{id: warm-anthropic, url: "%s"}]
    """
        .formatted(
            openAi.url(),
            openAiLimits,
            limits,
            anthropic.url(),
            anthropicLimits,
            limits,
            LIMIT,
            WINDOW.toSeconds(),
            windowed.url(),
            openAi.url(),
            anthropic.url());
  }

  private long jitter(Event.Released released) {
    Upstream upstream =
        gateway.bean(UpstreamRegistry.class).find(String.valueOf(released.upstream()));
    return upstream == null ? 0 : upstream.jitterNanos();
  }

  /** Returns the number to add to instants of the gateway's clock, which has another origin. */
  long shiftNanos() {
    Ticker theirs = gateway.bean(Ticker.class);
    return ticker.nanos() - theirs.nanos();
  }

  /** Warms the JVM up with calls that bypass the limits. */
  void warmUp() throws InterruptedException {
    SdkClients chats = SdkClients.uncounted(gateway.url("/warm-openai"));
    SdkClients messages = SdkClients.uncounted(gateway.url("/warm-anthropic"));
    Random random = new Random(SEED);
    List<Runnable> tasks = new ArrayList<>();
    ClientCall.chats(WARM_UPS, random)
        .forEach(clientCall -> tasks.add(() -> chats.perform(clientCall)));
    ClientCall.messages(WARM_UPS, random)
        .forEach(clientCall -> tasks.add(() -> messages.perform(clientCall)));
    // One after another at first: the clients' reflection library can deadlock while its classes
    // are initialised by several virtual threads at once.
    ClientCall.mixed(FIRST_CALLS, random).forEach(chats::perform);
    ClientCall.messages(FIRST_CALLS, random).forEach(messages::perform);
    run(tasks, STEP);
  }

  /** Makes all calls within a window and waits for the last answer. */
  void run(int callsEach) throws InterruptedException {
    long shift = shiftNanos();
    gateway.events().subscribe(openAiLog);
    gateway.events().subscribe(anthropicLog);
    gateway.events().subscribe(windowLog);
    gateway.events().subscribe(timer);
    gateway
        .events()
        .subscribe(
            event -> {
              if (event instanceof Event.Released first && first.endpoint().equals("/window")) {
                windowTokens.begin(first.atNanos() + shift);
              }
            });
    Random random = new Random(SEED);
    List<ClientCall> chats = ClientCall.chats(callsEach, random);
    List<ClientCall> messages = ClientCall.messages(callsEach, random);
    List<ClientCall> mixed = ClientCall.mixed(callsEach, random);
    SdkClients openAiClients = new SdkClients(gateway.url("/openai"));
    SdkClients anthropicClients = new SdkClients(gateway.url("/anthropic"));
    SdkClients windowClients = new SdkClients(gateway.url("/window"));
    List<Runnable> tasks = new ArrayList<>();
    for (int i = 0; i < callsEach; i++) {
      tasks.add(task(openAiClients, chats.get(i)));
      tasks.add(task(anthropicClients, messages.get(i)));
      tasks.add(task(windowClients, mixed.get(i)));
    }
    run(tasks, STEP);
  }

  private Runnable task(SdkClients clients, ClientCall clientCall) {
    return () -> {
      try {
        outcomes.add(new Outcome(clientCall, clients.perform(clientCall), null));
      } catch (RuntimeException error) {
        outcomes.add(new Outcome(clientCall, 0, error));
      }
    };
  }

  /** Starts a task every {@code interval} and waits until all are done. */
  private static void run(List<Runnable> tasks, Duration interval) {
    CountDownLatch left = new CountDownLatch(tasks.size());
    try (ScheduledExecutorService starts = Executors.newSingleThreadScheduledExecutor()) {
      Iterator<Runnable> next = tasks.iterator();
      Runnable start = () -> Thread.startVirtualThread(counted(next.next(), left));
      for (int i = 0; i < tasks.size(); i++) {
        var _ = starts.schedule(start, i * interval.toNanos(), TimeUnit.NANOSECONDS);
      }
      PatientWaits.await(left);
    }
  }

  private static Runnable counted(Runnable task, CountDownLatch left) {
    return () -> {
      try {
        task.run();
      } finally {
        left.countDown();
      }
    };
  }

  @Override
  public void close() {
    gateway.close();
    timer.close();
    stalls.close();
    openAi.close();
    anthropic.close();
    windowed.close();
  }
}
