package io.penstock.shares;

import static java.util.stream.Collectors.toUnmodifiableSet;

import io.penstock.limit.ShareNews;
import io.penstock.shares.ShareStore.Absent;
import io.penstock.shares.ShareStore.Answer;
import io.penstock.shares.ShareStore.Call;
import io.penstock.shares.ShareStore.Outcome;
import io.penstock.shares.ShareStore.Row;
import io.penstock.sharing.LimitId;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The share of one limit, as the instance that spends it knows it. Used by one thread at a time.
 */
final class LimitShare {
  private static final long MILLI = 1_000_000;

  /** The least time between two messages of an instance. */
  static final long LEAST_NANOS = 5 * MILLI;

  /** The first call about something comes after this part of the usual time at the latest. */
  private static final int SOON_PARTS = 5;

  /** While nothing changes, a limit that waits calls less often, at least this often. */
  private static final int SLOWEST_CALLS = 8;

  /** A turn ends only if a message was answered that was sent so shortly before, or later. */
  private static final long HEARD_NANOS = 2 * LEAST_NANOS;

  /** For how many releases a unit stays with an instance that needs it all the time. */
  private static final int TURN_INTERVALS = 20;

  /**
   * @param atNanos when the call was sent
   * @param ofDead the shares of absent instances that count
   */
  private record Heard(long free, long capacity, long atNanos, List<Row> ofDead) {}

  private final String member;
  private final LimitId id;
  private ShareUser user;
  private final ShareTerms terms;

  private long target = Long.MAX_VALUE;
  private boolean crowded;
  private ShareEpoch stated = ShareEpoch.NONE;
  private long granted;
  private long ours;
  private long sequence;
  private @Nullable Row own;
  private @Nullable Row told;
  private long waitedFor;
  private boolean wanted;
  private boolean news;
  private boolean byTurns;

  /** Whether nothing is spent any more, and what was spent only has to decay. */
  private boolean ends;

  private ShareUse.Cell called = ShareUse.Cell.NONE;

  /** The last day that is known to have begun. */
  private ShareUse.Cell day = ShareUse.Cell.NONE;

  private boolean gone;
  private @Nullable Heard last;
  private List<String> strangers = List.of();
  private long turnNanos;
  private long raisedNanos = Long.MIN_VALUE / 2;
  private long calledNanos = Long.MIN_VALUE / 2;
  private int slowness = 1;

  LimitShare(String member, LimitId id, ShareUser user, ShareTerms terms) {
    this.member = member;
    this.id = id;
    this.user = user;
    this.terms = terms;
  }

  LimitId id() {
    return id;
  }

  /**
   * Returns whether the limit has stated what it holds in that epoch, or has nothing to state.
   *
   * @param told whether others have told of shares of it
   */
  boolean isStatedIn(ShareEpoch epoch, boolean told) {
    return stated.equals(epoch) || (granted == 0 && !told);
  }

  /** Returns whether the store may have a share of it. */
  boolean isGranted() {
    return granted > 0 || ours > 0;
  }

  /** Ends the sharing of this limit: nothing is spent from now on. */
  void end(long now) {
    ends = true;
    gone = sequence == 0;
    slowness = 1;
    drop(now);
  }

  /** Shares the limit again, which ended before, with a user that knows what was spent. */
  void goOn(ShareUser next) {
    if (ends) {
      user = next;
      ends = false;
      gone = false;
      day = ShareUse.Cell.NONE;
      stated = ShareEpoch.NONE; // the last call may have deleted what the store knew
    }
  }

  /** Records the instances that the store knows by their shares alone. */
  void setStrangers(List<String> names) {
    strangers = names;
  }

  List<String> strangers() {
    return strangers;
  }

  /** Returns the shares of instances that had stopped when the store last answered. */
  List<Row> ofDead() {
    return last == null ? List.of() : last.ofDead();
  }

  /** Returns what the store last answered, or null. */
  ShareFigures.@Nullable OfLimit figures(long now) {
    if (last == null) {
      return null;
    }
    Map<String, Long> ofDead = new TreeMap<>();
    last.ofDead().forEach(each -> ofDead.put(each.member(), each.share()));
    return new ShareFigures.OfLimit(
        user.share(now), target, last.free(), last.capacity(), now - last.atNanos(), ofDead);
  }

  private static List<Row> ofDead(Call call, Answer answer) {
    if (call.absent().isEmpty()) {
      return List.of();
    }
    Set<String> absent = call.absent().stream().map(Absent::member).collect(toUnmodifiableSet());
    return answer.rows().stream()
        .filter(each -> absent.contains(each.member()) && each.share() > 0)
        .map(each -> each.in(call.use().cell()))
        .toList();
  }

  /** Returns whether the store knows nothing of it any more, after it has ended. */
  boolean isGone() {
    return gone;
  }

  /** Returns whether its first waiting request needs a larger share. */
  boolean isWaiting(long now) {
    return !ends && user.use(now).first() > user.share(now);
  }

  /** Records that other instances wait for this limit. */
  void setWanted(boolean byOthers) {
    news |= byOthers && !wanted;
    wanted = byOthers;
  }

  /** Gives up all that was not spent. */
  void drop(long now) {
    user.shrink(0, now);
    target = 0;
    ours = 0;
  }

  /** Tells the limit of the contact with the store. */
  void contact(ShareNews.Contact contact, long members, long now) {
    if (!ends) {
      user.contact(contact, members, now);
    }
  }

  /** Spends all that it holds, while nobody can take it over. */
  void spendAll(long now) {
    ShareUse use = user.use(now);
    if (!ends && !use.isLong() && ours > user.share(now)) {
      user.hold(ours, later(use), use.cell(), now);
      user.wake();
    }
  }

  /** Gives up all that was not spent, after others may have taken over what this limit held. */
  void bury(long now) {
    drop(now);
    stated = ShareEpoch.NONE;
  }

  /** Records that something about this limit has changed at another instance. */
  void news() {
    news = true;
  }

  /**
   * Stops spending at the end of its turn, where there are fewer units than instances. The store
   * must have answered just before: what is given up while nobody hears of it helps nobody.
   *
   * @param contactNanos when the last message that was answered was sent
   */
  void endTurn(long contactNanos, long now) {
    boolean isHeard = contactNanos >= turnEnds() - HEARD_NANOS;
    if (byTurns && user.share(now) > 0 && now >= turnEnds() && isHeard) {
      target = 0;
      slowness = 1;
      user.shrink(0, now);
    }
  }

  /** Returns the instant from which the limit has something to say; never if it has nothing. */
  long dueAt(long now) {
    ShareUse use = user.use(now);
    if (ends) {
      boolean less = use.least() < granted || use.isUnspent();
      return calledNanos + (less ? terms.callNanos() * slowness : use.keptMillis() * MILLI / 3);
    }
    long share = user.share(now);
    long head = use.first() > share ? use.first() : 0;
    boolean isAsked = wanted || crowded;
    long least = Math.max(use.least(), now < turnEnds() ? share : Math.min(share, target));
    if (use.isLong() && use.least() > 0 && begins(use.cell())) {
      return calledNanos + LEAST_NANOS;
    }
    boolean shrinks = use.isLong() && granted > Math.max(use.least(), use.used() + use.step());
    if (head > 0 && (waitedFor == 0 || news)) {
      return calledNanos + terms.callNanos() / SOON_PARTS;
    }
    if (byTurns && granted > 0) {
      return handsOverAt(use, now);
    }
    if (isAsked && granted > least) {
      return Math.max(calledNanos + soon(use) * slowness, turnEnds());
    }
    long slowly = calledNanos + terms.callNanos() * slowness;
    if ((news || wanted) && granted > 0) {
      return Math.max(slowly, turnEnds());
    }
    if (head > 0 || waitedFor > 0 || shrinks) {
      return slowly;
    }
    if (granted == 0) {
      return Ticker.NEVER;
    }
    return use.isIdle()
        ? calledNanos + 2 * window(use)
        : calledNanos + use.keptMillis() * MILLI / 3;
  }

  /** Returns whether a day runs that the last call did not tell of. */
  private boolean begins(ShareUse.Cell running) {
    return running.length() > 0 && (called.length() == 0 || called.number() != running.number());
  }

  /** Returns when it ends its turn, or, after that, can give up what it spent. */
  private long handsOverAt(ShareUse use, long now) {
    if (user.share(now) > 0) {
      return calledNanos < turnEnds() - HEARD_NANOS ? turnEnds() - HEARD_NANOS : turnEnds();
    }
    long look = Math.clamp(use.decayMillis() * MILLI / 20, LEAST_NANOS, terms.beatNanos());
    return use.least() < granted ? calledNanos + LEAST_NANOS : now + look;
  }

  /** Returns how soon after a call there may be more to give up. */
  private long soon(ShareUse use) {
    long part = terms.callNanos() / SOON_PARTS;
    return Math.clamp(use.decayMillis() * MILLI / 4, part / 4, part);
  }

  /** Returns when a share that was raised may be taken away again. */
  private long turnEnds() {
    return raisedNanos + turnNanos;
  }

  private static long window(ShareUse use) {
    return Math.max(1_000, use.decayMillis()) * MILLI;
  }

  /** The part of a share that a call gives up. */
  enum Gives {
    /** Nothing, because the store may be away: nobody would get it. */
    NOTHING,
    /** All that others should have, or that is not needed. */
    SURPLUS,
    /** All but what was spent, because nothing is spent any more. */
    ALL
  }

  /**
   * Makes the call that is due. From now on the limit holds itself to what it states.
   *
   * @param raises whether the share may be raised
   */
  Call call(
      long beat,
      ShareEpoch epoch,
      boolean raises,
      Gives gives,
      List<Absent> absent,
      List<Row> heard,
      long now) {
    calledNanos = now;
    sequence = beat; // also of a limit that comes again, it is higher than any before
    ShareUse before = user.use(now);
    news = false;
    boolean none = gives == Gives.ALL || ends;
    boolean keeps = now < turnEnds() || gives == Gives.NOTHING;
    long most = none ? 0 : keeps ? Long.MAX_VALUE : target;
    if (before.isLong()) {
      most = Math.min(most, before.used() + before.step());
    } else if (before.isIdle() && gives != Gives.NOTHING) {
      most = 0;
    }
    ShareUse use = user.shrink(most, now);
    use = ends ? use.ended() : use;
    long share = user.share(now);
    long later = none ? 0 : later(use);
    user.hold(share, later, use.cell(), now);
    called = use.cell();
    day = called.length() > 0 ? called : day;
    waitedFor = use.first() > share ? use.first() : 0;
    long held = Math.max(use.least(), share);
    ours = held;
    return new Call(id, sequence, beat, epoch, raises && !ends, held, later, use, absent, heard);
  }

  /**
   * Takes in the answer to the last call.
   *
   * @param holds whether the lease held, so that a share may be used
   * @return whether the store had lost what this limit stated before, or knows a later epoch of it
   */
  boolean answered(Call call, Answer answer, boolean holds, long now) {
    if (answer.outcome() == Outcome.UNUSABLE) {
      stated = call.epoch(); // nobody can be given anything before that is found to be lost
      slowness = Math.min(SLOWEST_CALLS, slowness * 2);
    }
    gone = ends && answer.outcome() != Outcome.LATE && call.isLast();
    if (!answer.taken()) {
      return answer.outcome() == Outcome.LATE;
    }
    boolean lost = !ends && granted > 0 && stated.equals(call.epoch()) && !answer.known();
    stated = call.epoch();
    own =
        call.use().isLong()
            ? new Row(member, -1, answer.share(), call.later(), call.use().cell(), decay(call))
            : null;
    granted = answer.share();
    ours = holds && !lost ? granted : ours;
    long before = user.share(now);
    target = answer.target();
    crowded = answer.crowded();
    last = new Heard(answer.free(), answer.capacity(), calledNanos, ofDead(call, answer));
    long interval = call.use().decayMillis() * MILLI / Math.max(1, answer.capacity());
    turnNanos = Math.clamp(TURN_INTERVALS * interval, terms.callNanos(), terms.beatNanos());
    byTurns = crowded && answer.capacity() <= answer.rows().size();
    long share = before;
    if (holds && !lost && !ends) {
      ShareUse use = user.use(now);
      share =
          crowded && now >= turnEnds()
              ? Math.min(answer.share(), Math.max(target, 0))
              : answer.share();
      user.hold(share, later(use), running(call, answer), now);
    }
    share = user.share(now);
    raisedNanos = share > before ? now : raisedNanos;
    slowness = share == before && !byTurns ? Math.min(SLOWEST_CALLS, slowness * 2) : 1;
    user.heard(answer.free(), now);
    if (share > before) {
      user.wake();
    }
    return lost;
  }

  /** Returns the running day: of the beginnings that instances state, the earliest counts. */
  private ShareUse.Cell running(Call call, Answer answer) {
    ShareUse.Cell own = call.use().cell();
    if (!call.use().isLong()) {
      return own;
    }
    ShareUse.Cell running = own;
    for (Row each : answer.rows()) {
      ShareUse.Cell other = each.cell();
      boolean same = other.isSame(running) && other.number() < running.number();
      // somebody may still take a later beginning for that of the day that has ended here
      boolean runs = other.length() > 0 && !other.isBefore(own) && !other.isSame(day);
      boolean later = runs && other.number() > running.number() && !other.isSame(running);
      if (same || (own.length() == 0 && runs && (running.length() == 0 || later))) {
        running = running.beginning(other);
      }
    }
    day = running.length() > 0 ? running : day;
    return running;
  }

  private static long later(ShareUse use) {
    return use.isLong() ? use.step() : Long.MAX_VALUE;
  }

  private static long decay(Call call) {
    return call.use().decayMillis();
  }

  /** Returns the share that others have to be told of, or null. */
  @Nullable Row untold() {
    boolean same =
        own == null
            || (told != null
                && own.share() == told.share()
                && own.cell().number() == told.cell().number());
    return same ? null : own;
  }

  /** Records that others have been told. */
  void told(Row row) {
    told = row;
  }

  /** Forgets that others were told. */
  void tellAgain() {
    told = null;
  }

  /** Returns the number of the last call. */
  long sequence() {
    return sequence;
  }

  /** Returns for how long what is spent now counts at most. */
  long decayNanos(long now) {
    return user.use(now).decayMillis() * MILLI;
  }

  boolean isLong(long now) {
    return user.use(now).isLong();
  }
}
