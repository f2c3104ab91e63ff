package io.penstock.shares;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One instance with one limit, to which things happen in an order that the caller chooses. Its
 * clock follows from that order: each message has a slot, in which everything is due, and is
 * answered one millisecond later. No lease ends, and nothing that is spent decays.
 */
final class ReplayedMember implements ShareStore, StepAlarm {
  static final LimitId ID = ShareWorld.limit("l0");

  private static final long MILLI = ShareWorld.MILLI;
  private static final long EVER = Long.MAX_VALUE / 8;
  private static final long SLOT = 2_500 * MILLI;
  private static final ShareTerms TERMS =
      new ShareTerms(EVER, 1_200 * MILLI, 200 * MILLI, 100 * MILLI, 0, false);

  /**
   * Instants that do not matter: nobody dies here, and each slot is longer than turn and call. The
   * figures for operators do not matter either.
   */
  private static final Set<String> LEFT_OUT =
      Set.of(
          "beatNanos", "absentNanos", "raisedNanos", "calledNanos", "epochNanos", "nanos", "last");

  final ShareSync sync;
  final SpentLimit limit;
  private final Deque<Runnable> steps = new ArrayDeque<>();
  private Runnable next = () -> {};
  private long now;
  private long slot;
  private long spent;
  private @Nullable Message sent;
  private CompletableFuture<Reply> reply = new CompletableFuture<>();

  ReplayedMember(String name, long capacity) {
    sync =
        new ShareSync(
            name,
            this,
            () -> now,
            this,
            TERMS,
            new CountedLimits(() -> 0, 1_000_000_000, id -> true, OutagePolicy.CONTINUE, 0),
            () -> 0.5);
    SpentLimit.Terms terms = new SpentLimit.Terms(SpentLimit.Kind.TRAILING, capacity, EVER);
    limit = new SpentLimit(terms, sync.lease(), ignored -> now, () -> sync.hurry(ID));
    sync.add(ID, limit);
    sync.start();
  }

  /** Lets a request come that needs {@code amount}. */
  void arrive(long amount) {
    limit.arrive(amount, () -> spent += amount, now);
    run();
  }

  /** Sends the message that is due; an answer to the one before is not waited for any more. */
  Message send() {
    slot++;
    now = slot * SLOT;
    sent = null;
    next.run();
    run();
    assertThat(sent).isNotNull();
    return sent;
  }

  /** Answers the last message. */
  void answer(Reply answer) {
    now = slot * SLOT + MILLI;
    sent = null;
    reply.complete(answer);
    run();
    assertThat(sent).isNull();
  }

  private void run() {
    for (Runnable each = steps.poll(); each != null; each = steps.poll()) {
      each.run();
    }
    limit.look(now);
  }

  /** Returns what it spent and what its right still allows. */
  long right() {
    return Math.max(spent, limit.share(now));
  }

  long spent() {
    return spent;
  }

  /** Returns what its first waiting request needs beyond what is spent, 0 if none waits. */
  long waitsFor() {
    long first = limit.use(now).first();
    return first == 0 ? 0 : first - spent;
  }

  /** Returns everything that it believes. */
  String text() {
    return StateText.of(LEFT_OUT, sync, limit, spent);
  }

  @Override
  public CompletionStage<Reply> exchange(Message message) {
    assertThat(sent).isNull();
    sent = message;
    reply = new CompletableFuture<>();
    return reply;
  }

  @Override
  public void soon(Runnable step) {
    steps.add(step);
  }

  @Override
  public void at(long instantNanos, Runnable step) {
    if (instantNanos != Ticker.NEVER) {
      next = step;
    }
  }
}
