package io.penstock.redis.coordination;

import io.penstock.coordination.ClientTurn;
import io.penstock.coordination.CoordinationService;
import io.penstock.coordination.ObjectBounds;
import io.penstock.coordination.ObjectOperation;
import io.penstock.coordination.ObjectReply;
import io.penstock.coordination.TimedTasks;
import io.penstock.redis.RedisDiagnosis;
import io.penstock.redis.RedisLink;
import io.penstock.redis.RedisTrouble;
import io.penstock.redis.TroubleLog;
import io.penstock.time.StepAlarm;
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
 * <p>While Redis cannot be asked, operations are {@link ObjectReply.Unavailable}; so are waiting
 * ones once this instance has lost its membership, which is after five seconds. An operation
 * without an answer is undone later. Thread-safe; only {@link #close} blocks, for a second at most.
 */
public final class RedisCoordination implements CoordinationService {
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
  private final StepAlarm alarm;
  private final StepAlarm beats;
  private final RedisLink link;
  private final String channel;
  private final TroubleLog troubleLog = new TroubleLog("coordination", "object");
  private final TimedTasks timedTasks = new TimedTasks();
  private final ScriptPipeline scriptPipeline;
  private final Membership membership;
  private final PendingCalls pendingCalls;
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
      ObjectBounds bounds,
      Ticker ticker,
      StepAlarm alarm,
      StepAlarm beats) {
    this(
        link,
        names(namespace, process, Membership.LEASE_NANOS),
        bounds,
        ticker,
        new StoreClock.RedisClock(TimeUnit.MILLISECONDS.toMicros(TIMEOUT_MILLIS)),
        alarm,
        beats);
  }

  RedisCoordination(
      RedisLink link,
      Membership.Names names,
      ObjectBounds bounds,
      Ticker ticker,
      StoreClock clock,
      StepAlarm alarm,
      StepAlarm beats) {
    this.link = link;
    this.channel = names.channel();
    this.ticker = ticker;
    this.alarm = alarm;
    this.beats = beats;
    this.scriptPipeline = new ScriptPipeline(link::call, lock, this::enter, ticker);
    this.pendingCalls =
        new PendingCalls(bounds, ticker, timedTasks, clock, scriptPipeline, names, troubleLog);
    this.membership = pendingCalls.membership();
  }

  static Membership.Names names(String namespace, String process, long leaseNanos) {
    String channels = namespace + ":coordination:";
    return new Membership.Names(channels + "{all}", channels, process, leaseNanos);
  }

  /** Joins the other instances, and keeps sending heartbeats. */
  public void start() {
    beat();
    beats.at(ticker.nanos() + Membership.BEAT_NANOS, this::start);
  }

  /** Sends one heartbeat, if the subscription to the own channel is in place. */
  void beat() {
    boolean hears;
    synchronized (lock) {
      hears = listening || closed;
      listening = true;
    }
    if (hears) {
      enter(() -> membership.tick(ticker.nanos()));
    } else {
      var _ = link.listen(channel, this::onPublication, this::missed).whenComplete(this::listens);
    }
  }

  private void listens(@Nullable Object done, @Nullable Throwable failure) {
    if (failure == null) {
      enter(() -> membership.tick(ticker.nanos()));
      return;
    }
    troubleLog.recordFailure(RedisDiagnosis.of(failure));
    synchronized (lock) {
      listening = false;
    }
  }

  private void onPublication(String publication) {
    enter(
        () -> {
          try {
            applyPublication(publication);
          } catch (RedisTrouble odd) {
            troubleLog.recordFailure(odd); // it came from another program
          }
        });
  }

  private void applyPublication(String publication) {
    if (publication.indexOf('\n') >= 0) {
      pendingCalls.applyPublication(ObjectScript.parsePublication(publication));
    } else {
      long now = ticker.nanos();
      ObjectScript.numbers(publication).forEach(each -> membership.receiveHeartbeat(each, now));
    }
  }

  private void missed() {
    enter(pendingCalls::missed);
  }

  /** Changes the state with the lock, then does without it what follows from the change. */
  private void enter(Runnable change) {
    List<ClientTurn> answeredTurns;
    synchronized (lock) {
      change.run();
      long next = timedTasks.nextNanos();
      if (next < setNanos && !closed) {
        setNanos = next;
        alarm.at(next, this::ring);
      }
      answeredTurns = pendingCalls.answered();
    }
    answeredTurns.forEach(ClientTurn::deliverAnswer);
    scriptPipeline.flush();
    synchronized (lock) {
      if (closed && scriptPipeline.idle()) {
        over.complete(true);
      }
    }
  }

  private void ring() {
    enter(
        () -> {
          setNanos = Ticker.NEVER;
          timedTasks.run(ticker.nanos());
        });
  }

  @Override
  public ClientTurn call(
      String tenant, String name, ObjectOperation objectOperation, long maxWaitNanos) {
    List<ClientTurn> begun = new ArrayList<>();
    enter(
        () ->
            begun.add(
                pendingCalls.begin(
                    tenant,
                    name,
                    objectOperation,
                    maxWaitNanos,
                    !closed,
                    pendingCall -> enter(() -> pendingCalls.left(pendingCall)))));
    return begun.getFirst();
  }

  @Override
  public void dismiss(ObjectReply answer) {
    enter(() -> pendingCalls.dismiss(answer));
  }

  @Override
  public boolean ready() {
    synchronized (lock) {
      return !closed && membership.joined(ticker.nanos());
    }
  }

  @Override
  public long waiting() {
    synchronized (lock) {
      return pendingCalls.waiting();
    }
  }

  @Override
  public long objects() {
    synchronized (lock) {
      return membership.objects();
    }
  }

  @Override
  public long bytes() {
    synchronized (lock) {
      return membership.bytes();
    }
  }

  /** Returns whether all calls are answered, and all own heartbeats were received. */
  boolean settled() {
    synchronized (lock) {
      return scriptPipeline.idle() && membership.receivedAllHeartbeats();
    }
  }

  /** Returns the statistics of requests to Redis. */
  public Figures figures() {
    synchronized (lock) {
      return new Figures(scriptPipeline.answered(), scriptPipeline.answeredNanos());
    }
  }

  /** Returns the failures so far. */
  public TroubleLog troubles() {
    return troubleLog;
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
          pendingCalls.dismiss(new ObjectReply.Stopping());
          membership.leave();
        });
    alarm.close();
    beats.close();
    var _ = over.completeOnTimeout(false, TIMEOUT_MILLIS, TimeUnit.MILLISECONDS).join();
    link.close();
  }
}
