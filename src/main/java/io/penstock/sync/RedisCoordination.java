package io.penstock.sync;

import io.penstock.coordination.Agenda;
import io.penstock.coordination.Alarm;
import io.penstock.coordination.Bounds;
import io.penstock.coordination.Coordination;
import io.penstock.coordination.Operation;
import io.penstock.coordination.Reply;
import io.penstock.coordination.Turn;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Shared objects in Redis. All operations are executed there by one script; this instance has the
 * clients, and wakes them when Redis publishes that they are served.
 *
 * <p>While Redis cannot be asked, operations are {@link Reply.Unavailable}; so are waiting ones
 * once this instance has lost its membership, which is after five seconds. An operation without an
 * answer is undone later. Thread-safe; only {@link #close} blocks, for a second at most.
 */
public final class RedisCoordination implements Coordination {
  /** Time after which a request to Redis is given up. */
  public static final int TIMEOUT_MILLIS = 1_000;

  /**
   * Number of answered requests to Redis, and their total time.
   *
   * @param answered scripts that are sent together count as one
   */
  public record Figures(long answered, long answeredNanos) {}

  private final Object lock = new Object();
  private final Ticker ticker;
  private final Alarm alarm;
  private final Alarm beats;
  private final RedisLink link;
  private final String channel;
  private final Troubles troubles = new Troubles("coordination", "object");
  private final Agenda agenda = new Agenda();
  private final Lane lane;
  private final Fellows fellows;
  private final Visits visits;
  private long setNanos = Ticker.NEVER;
  private boolean listening;
  private boolean closed;

  /** Completed after closing, once nothing is under way any more. */
  private final CompletableFuture<Boolean> over = new CompletableFuture<>();

  /**
   * Creates the coordination without joining the others.
   *
   * @param link to Redis, closed with this object
   * @param namespace prefix of all keys and channels
   * @param process letters and digits, different after each start of an instance
   * @param bounds of waiting turns for this instance, of objects for all instances, of permits for
   *     one semaphore
   * @param alarm used for nothing else; closed with this object, like {@code beats}
   * @param beats runs the work of each second
   */
  public RedisCoordination(
      RedisLink link,
      String namespace,
      String process,
      Bounds bounds,
      Ticker ticker,
      Alarm alarm,
      Alarm beats) {
    this(
        link,
        names(namespace, process, Fellows.LEASE_NANOS),
        bounds,
        ticker,
        new StoreClock.Heard(TimeUnit.MILLISECONDS.toMicros(TIMEOUT_MILLIS)),
        alarm,
        beats);
  }

  RedisCoordination(
      RedisLink link,
      Fellows.Names names,
      Bounds bounds,
      Ticker ticker,
      StoreClock clock,
      Alarm alarm,
      Alarm beats) {
    this.link = link;
    this.channel = names.channel();
    this.ticker = ticker;
    this.alarm = alarm;
    this.beats = beats;
    this.lane = new Lane(link::call, lock, this::enter, ticker);
    this.fellows = new Fellows(names, lane, ticker, clock, troubles, new Changes());
    Asking asking = new Asking(lane, fellows, bounds, ticker, clock, troubles);
    this.visits = new Visits(bounds, ticker, agenda, clock, lane, fellows, asking);
  }

  static Fellows.Names names(String namespace, String process, long leaseNanos) {
    String channels = namespace + ":coordination:";
    return new Fellows.Names(channels + "{all}", channels, process, leaseNanos);
  }

  /** Joins the other instances, and keeps sending heartbeats. */
  public void start() {
    beat();
    beats.at(ticker.nanos() + Fellows.BEAT_NANOS, this::start);
  }

  /** Sends one heartbeat, if the subscription to the own channel is in place. */
  void beat() {
    boolean hears;
    synchronized (lock) {
      hears = listening || closed;
      listening = true;
    }
    if (hears) {
      enter(() -> fellows.tick(ticker.nanos()));
    } else {
      var _ = link.listen(channel, this::hear, this::missed).whenComplete(this::listens);
    }
  }

  private void listens(@Nullable Object done, @Nullable Throwable failure) {
    if (failure == null) {
      enter(() -> fellows.tick(ticker.nanos()));
      return;
    }
    troubles.failed(Diagnosis.of(failure));
    synchronized (lock) {
      listening = false;
    }
  }

  private void hear(String publication) {
    enter(
        () -> {
          try {
            heard(publication);
          } catch (RedisTrouble odd) {
            troubles.failed(odd); // it came from another program
          }
        });
  }

  private void heard(String publication) {
    if (publication.indexOf('\n') >= 0) {
      visits.told(ObjectScript.told(publication));
    } else {
      long now = ticker.nanos();
      ObjectScript.numbers(publication).forEach(each -> fellows.hear(each, now));
    }
  }

  private void missed() {
    enter(visits::askAll);
  }

  /** Reacts to changes of the membership. */
  private final class Changes implements Fellows.Listener {
    @Override
    public void lost() {
      visits.lost();
    }

    @Override
    public void well() {
      visits.again();
    }

    @Override
    public void othersGone() {
      visits.stepAll();
    }

    @Override
    public void missed() {
      visits.askAll();
    }
  }

  /** Changes the state with the lock, then does without it what follows from the change. */
  private void enter(Runnable change) {
    List<Turn> told;
    synchronized (lock) {
      change.run();
      long next = agenda.nextNanos();
      if (next < setNanos && !closed) {
        setNanos = next;
        alarm.at(next, this::ring);
      }
      told = visits.answered();
    }
    told.forEach(Turn::tell);
    lane.flush();
    synchronized (lock) {
      if (closed && lane.idle()) {
        over.complete(true);
      }
    }
  }

  private void ring() {
    enter(
        () -> {
          setNanos = Ticker.NEVER;
          agenda.run(ticker.nanos());
        });
  }

  @Override
  public Turn call(String name, Operation operation, long maxWaitNanos) {
    List<Turn> begun = new ArrayList<>();
    enter(
        () ->
            begun.add(
                visits.begin(
                    name,
                    operation,
                    maxWaitNanos,
                    !closed,
                    gone -> enter(() -> visits.left(gone)))));
    return begun.getFirst();
  }

  @Override
  public void dismiss(Reply answer) {
    enter(() -> visits.dismiss(answer));
  }

  @Override
  public boolean ready() {
    synchronized (lock) {
      return !closed && fellows.joined(ticker.nanos());
    }
  }

  @Override
  public long waiting() {
    synchronized (lock) {
      return visits.waiting();
    }
  }

  @Override
  public long objects() {
    synchronized (lock) {
      return fellows.objects();
    }
  }

  /** Returns whether all calls are answered, and all own heartbeats were received. */
  boolean settled() {
    synchronized (lock) {
      return lane.idle() && fellows.heardAll();
    }
  }

  /** Returns the statistics of requests to Redis. */
  public Figures figures() {
    synchronized (lock) {
      return new Figures(lane.answered(), lane.answeredNanos());
    }
  }

  /** Returns the failures so far. */
  public Troubles troubles() {
    return troubles;
  }

  /**
   * Dismisses all waiting turns, leaves the membership, gives back what arrives meanwhile for
   * clients that are gone, and stops asking Redis.
   */
  @Override
  public void close() {
    enter(
        () -> {
          closed = true;
          visits.dismiss(new Reply.Stopping());
          fellows.leave();
        });
    alarm.close();
    beats.close();
    var _ = over.completeOnTimeout(false, TIMEOUT_MILLIS, TimeUnit.MILLISECONDS).join();
    link.close();
  }
}
