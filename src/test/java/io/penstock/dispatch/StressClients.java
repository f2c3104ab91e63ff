package io.penstock.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.StressedGateway;
import io.penstock.fake.PatientWaits;
import java.time.Duration;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Clients that send a request as soon as the previous one has ended. Each waits for its own request
 * only, so a gateway that gets stuck leaves clients that never finish.
 */
final class StressClients implements AutoCloseable {
  /** Ends granted requests. */
  interface Ending {
    /** Settles it. Returns the ticket of a next attempt, or null when the request is over. */
    @Nullable ParkedTicket end(TicketSettlement settlement, int attempt, Random random);
  }

  private static final int THREADS = 4;

  private final StressedGateway gateway;
  private final Function<Random, TicketRequest> asks;
  private final Ending ending;
  private final double cancelled;
  private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(THREADS);
  private final LongAdder granted = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder gone = new LongAdder();
  private final AtomicInteger running = new AtomicInteger();
  private final CountDownLatch finished = new CountDownLatch(1);
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean over;

  /**
   * Creates the clients.
   *
   * @param cancelled the fraction of requests that are cancelled by their client, 0 to 1
   */
  StressClients(
      StressedGateway gateway,
      Function<Random, TicketRequest> asks,
      Ending ending,
      double cancelled) {
    this.gateway = gateway;
    this.asks = asks;
    this.ending = ending;
    this.cancelled = cancelled;
  }

  /**
   * Lets clients send until time is up, and waits until the last request of each has ended.
   *
   * @param atEnd then makes it possible for all waiting requests to go
   */
  void run(Duration time, Runnable atEnd, int clients, String... paths)
      throws InterruptedException {
    running.set(clients * paths.length);
    for (int each = 0; each < clients; each++) {
      for (String path : paths) {
        Client client = new Client(path, new Random(31L * each + path.hashCode()));
        execute(client::send);
      }
    }
    Runnable end =
        () -> {
          over = true;
          atEnd.run();
        };
    var _ = threads.schedule(guarded(end), time.toNanos(), TimeUnit.NANOSECONDS);
    boolean all = finished.await(time.plus(PatientWaits.LONGEST).toMillis(), TimeUnit.MILLISECONDS);
    assertThat(failures).isEmpty();
    assertThat(all).as("%s; %s clients still wait for their request", this, running).isTrue();
  }

  /** Runs an operator's action again and again while requests are sent. */
  void meanwhile(Duration pause, Runnable action) {
    var _ =
        threads.scheduleWithFixedDelay(guarded(action), 0, pause.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void execute(Runnable step) {
    threads.execute(guarded(step));
  }

  /** Keeps an exception of an action, which the executor would swallow. */
  private Runnable guarded(Runnable action) {
    return () -> {
      try {
        action.run();
      } catch (RuntimeException | Error failure) {
        failures.add(failure);
      }
    };
  }

  /** Returns how many requests were granted. */
  long granted() {
    return granted.sum();
  }

  @Override
  public String toString() {
    return "%d grants, %d refusals, %d cancels".formatted(granted.sum(), refused.sum(), gone.sum());
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }

  /** A client. Its steps run one after the other, each on any thread. */
  private final class Client {
    private final String path;
    private final Random random;

    Client(String path, Random random) {
      this.path = path;
      this.random = random;
    }

    void send() {
      Endpoint endpoint = gateway.registry.enter(path);
      if (endpoint == null) {
        var _ =
            threads.schedule(guarded(this::next), 1, TimeUnit.MILLISECONDS); // removed by a reload
        return;
      }
      ParkedTicket parkedTicket = endpoint.submit(asks.apply(random));
      endpoint.leave();
      await(parkedTicket, 1);
    }

    private void next() {
      if (!over) {
        execute(this::send);
      } else if (running.decrementAndGet() == 0) {
        finished.countDown();
      }
    }

    private void await(ParkedTicket parkedTicket, int attempt) {
      AtomicBoolean ended = new AtomicBoolean();
      boolean leaves = random.nextDouble() < cancelled;
      parkedTicket.whenDecided(
          outcome ->
              execute(
                  () -> {
                    if (ended.compareAndSet(false, true)) {
                      decided(parkedTicket, outcome, attempt);
                    }
                  }));
      if (leaves) {
        execute(
            () -> {
              if (ended.compareAndSet(false, true)) {
                parkedTicket.cancel();
                gone.increment();
                next();
              }
            });
      }
    }

    private void decided(ParkedTicket parkedTicket, TicketOutcome outcome, int attempt) {
      parkedTicket.take();
      if (!(outcome instanceof TicketOutcome.Granted(TicketSettlement settlement))) {
        refused.increment();
        next();
        return;
      }
      granted.increment();
      ParkedTicket again = ending.end(settlement, attempt, random);
      if (again == null) {
        next();
      } else {
        await(again, attempt + 1);
      }
    }
  }
}
