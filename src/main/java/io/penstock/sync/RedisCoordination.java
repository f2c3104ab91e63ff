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
 * Objects in Redis, which all instances share. What they do is done there, by one script; this
 * instance has the clients, and wakes them when it is told that they are served.
 *
 * <p>While Redis cannot be asked operations are {@link Reply.Unavailable}, and so are those who
 * wait once nobody counts on this instance any more, which is after five seconds. What became of an
 * operation of which nothing was heard is undone later. Safe from any thread; only {@link #close}
 * waits, for a second at most.
 */
public final class RedisCoordination implements Coordination {
  /** What Redis takes longer for is given up. */
  public static final int TIMEOUT_MILLIS = 1_000;

  /**
   * How often Redis was asked and has answered, and how long that took in all.
   *
   * @param answered scripts that go together are one
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

  /** Done once, after it was closed, nothing is on its way any more. */
  private final CompletableFuture<Boolean> over = new CompletableFuture<>();

  /**
   * Makes one that has joined nobody yet.
   *
   * @param link to Redis, closed with it
   * @param namespace before all keys and channels
   * @param process another one each time an instance starts, of letters and digits
   * @param bounds those who wait are of this instance, objects of all, places of one semaphore
   * @param alarm runs this and nothing else, as does the other one; both are closed with it
   * @param beats runs what is done each second
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

  /** Joins the others, and says again and again that this instance lives. */
  public void start() {
    beat();
    beats.at(ticker.nanos() + Fellows.BEAT_NANOS, this::start);
  }

  /** Says once that it lives, if it hears of what is said. */
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
            troubles.failed(odd); // somebody else has said it
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

  /** Told how this instance stands with the others. */
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

  /** Runs something that changes what is here, and then, without a lock, what follows of it. */
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

  /** Returns whether all that was sent is answered, and all that was said to itself was heard. */
  boolean settled() {
    synchronized (lock) {
      return lane.idle() && fellows.heardAll();
    }
  }

  /** Returns how often Redis was asked and has answered. */
  public Figures figures() {
    synchronized (lock) {
      return new Figures(lane.answered(), lane.answeredNanos());
    }
  }

  /** Returns what went wrong so far. */
  public Troubles troubles() {
    return troubles;
  }

  /**
   * Has all go that wait, says that this instance leaves, gives back what arrives meanwhile for who
   * has gone, and asks Redis no more.
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
