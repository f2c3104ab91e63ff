package io.penstock.shares;

import io.penstock.shares.ShareStore.Absent;
import io.penstock.shares.ShareStore.Answer;
import io.penstock.shares.ShareStore.Call;
import io.penstock.shares.ShareStore.Row;
import io.penstock.sharing.LimitId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The share of one limit, as the instance that spends it knows it. Used by one thread at a time.
 */
final class LimitShare {
  private static final long MILLI = 1_000_000;

  /** While nothing changes, a limit that waits calls less often, at least this often. */
  private static final int SLOWEST_CALLS = 8;

  private final String member;
  private final LimitId id;
  private final ShareUser user;
  private final ShareTerms terms;

  private long target = Long.MAX_VALUE;
  private boolean crowded;
  private ShareEpoch stated = ShareEpoch.NONE;
  private boolean stored;
  private long sequence;
  private @Nullable Row own;
  private @Nullable Row told;
  private long waitedFor;
  private boolean wanted;
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
    return stated.equals(epoch) || (!stored && !told);
  }

  /** Returns whether its first waiting request needs a larger share. */
  boolean isWaiting(long now) {
    return user.use(now).first() > user.share(now);
  }

  /** Records that other instances wait for this limit. */
  void setWanted(boolean byOthers) {
    if (byOthers && !wanted) {
      slowness = 1;
    }
    wanted = byOthers;
  }

  /** Gives up all that was not spent. */
  void drop(long now) {
    user.shrink(0, now);
    target = 0;
  }

  /** Gives up all that was not spent, after others may have taken over what this limit held. */
  void bury(long now) {
    drop(now);
    stated = ShareEpoch.NONE;
  }

  /** Returns whether the limit has something to say now. */
  boolean isDue(long now) {
    ShareUse use = user.use(now);
    long share = user.share(now);
    long head = use.first() > share ? use.first() : 0;
    long since = now - calledNanos;
    if (head > 0 && waitedFor == 0) {
      return since >= terms.callNanos() / 5;
    }
    if (since < terms.callNanos() * slowness) {
      return false;
    }
    if (head != waitedFor || head > 0) {
      return true;
    }
    long most = use.isLong() ? use.used() + use.step() : target;
    boolean gives = (wanted || crowded || use.isLong()) && share > Math.max(use.least(), most);
    boolean tells = wanted && share > use.least();
    boolean idle = share > 0 && use.isIdle() && now - calledNanos > 2 * window(use);
    boolean kept = stored && share > 0 && now - calledNanos > keptNanos(use) / 3;
    return gives || tells || idle || kept;
  }

  private static long window(ShareUse use) {
    return Math.max(1_000, use.decayMillis()) * MILLI;
  }

  /** Returns for how long the store keeps a share of which it hears nothing. */
  static long keptNanos(ShareUse use) {
    return Math.max(600_000, 4 * use.decayMillis()) * MILLI;
  }

  /**
   * Makes the call that is due. From now on the limit holds itself to what it states.
   *
   * @param raises whether the share may be raised; {@code settledNanos} is for how long it has been
   *     certain that all that was spent is stated
   */
  Call call(
      long beat,
      ShareEpoch epoch,
      boolean raises,
      boolean ended,
      List<Absent> absent,
      List<Row> heard,
      long now) {
    calledNanos = now;
    sequence++;
    ShareUse before = user.use(now);
    long most = ended ? 0 : target;
    if (before.isLong()) {
      most = Math.min(most, before.used() + before.step());
    } else if (before.isIdle()) {
      most = 0;
    }
    ShareUse use = user.shrink(most, now);
    long share = user.share(now);
    long later = later(use);
    user.hold(share, later, use.cell(), now);
    waitedFor = use.first() > share ? use.first() : 0;
    return new Call(id, sequence, beat, epoch, raises, share, later, use, absent, heard);
  }

  /**
   * Takes in the answer to the last call.
   *
   * @param holds whether the lease held, so that a share may be used
   * @return whether the store had lost what this limit stated before
   */
  boolean answered(Call call, Answer answer, boolean holds, long now) {
    if (!answer.taken()) {
      return false;
    }
    boolean lost = stored && stated.equals(call.epoch()) && !answer.known();
    stated = call.epoch();
    own =
        call.use().isLong()
            ? new Row(member, answer.share(), call.later(), call.use().cell(), decay(call))
            : null;
    stored = answer.share() > 0;
    long before = user.share(now);
    target = answer.target();
    crowded = answer.crowded();
    long share = before;
    if (holds) {
      ShareUse use = user.use(now);
      share =
          crowded
              ? Math.max(use.least(), Math.min(answer.share(), Math.max(target, 0)))
              : answer.share();
      user.hold(share, later(use), call.use().cell(), now);
    }
    share = user.share(now);
    slowness = share == before ? Math.min(SLOWEST_CALLS, slowness * 2) : 1;
    if (share > before) {
      user.wake();
    }
    return lost;
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

  long share(long now) {
    return user.share(now);
  }
}
