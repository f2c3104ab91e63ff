package io.penstock.limit;

import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of a window that trails every instant, in 60 sub-cells. A charge counts until the end of
 * its sub-cell plus the window plus the guard, so that rounding is against the caller.
 *
 * @param pace with the spec in force: lower than the configured one while a provider lowers it
 * @param extraGuardNanos measured widening, on top of the guard of the spec
 * @param newest the index of the newest sub-cell, floor(instant ÷ sub-cell length)
 * @param cells amounts by index modulo the length; never changed once they are here
 * @param reserved reserved output, kept free whichever sub-cells count
 * @param totalTaken the running total of all that was ever taken
 */
@SuppressWarnings("ArrayRecordComponent") // arrays are never changed: it is enough to compare which
record TrailingWindowState(
    WindowPace pace,
    long extraGuardNanos,
    long newest,
    long[] cells,
    long reserved,
    long totalTaken,
    ProviderFeedback feedback)
    implements LocalState {
  /** The most by which a window may be widened beyond its guard. */
  static final long MAX_EXTRA_GUARD_NANOS = 500_000_000;

  static TrailingWindowState starting(LimitSpec.TrailingWindow spec, LimitBalance owed, long now) {
    long[] cells = new long[length(spec)];
    long newest = Math.floorDiv(now, spec.subCellNanos());
    cells[Math.floorMod(newest, cells.length)] = AmountBound.sum(owed.charged(), owed.debt());
    ProviderFeedback none = ProviderFeedback.nothing(spec);
    return new TrailingWindowState(
        WindowPace.starting(spec, now), 0, newest, cells, owed.reserved(), 0, none);
  }

  /** Charges each cell in the sub-cell that ends with it, or in a later one. */
  static LocalState restored(LimitSpec.TrailingWindow spec, List<ChargedCell> cells, long since) {
    long begin = since - spec.windowNanos() - spec.guardNanos();
    TrailingWindowState none = starting(spec, LimitBalance.ZERO, begin);
    // Earlier charges, which count no more, may have used up the burst, if there is a pace.
    LocalState localState =
        spec.burst() < spec.capacity() ? none.with(none.pace.burstUsed(begin)) : none;
    for (ChargedCell chargedCell : cells) {
      long end = chargedCell.by(since + spec.subCellNanos()).atNanos();
      localState =
          end > begin ? localState.charge(chargedCell.amount(), 0, end - 1).next() : localState;
    }
    return localState;
  }

  /** Returns how many sub-cells can count at once, however much the window is widened. */
  private static int length(LimitSpec.TrailingWindow spec) {
    long span = spec.windowNanos() + spec.guardNanos() + MAX_EXTRA_GUARD_NANOS;
    return Math.toIntExact(span / spec.subCellNanos()) + 2;
  }

  private LimitSpec.TrailingWindow inForce() {
    return pace.spec();
  }

  private long cellNanos() {
    return inForce().subCellNanos();
  }

  private long countsFor() {
    return inForce().windowNanos() + inForce().guardNanos() + extraGuardNanos;
  }

  /** Returns the oldest sub-cell that counts at {@code now}. */
  private long oldest(long now) {
    return Math.floorDiv(now - countsFor(), cellNanos());
  }

  private long cell(long index) {
    return cells[Math.floorMod(index, cells.length)];
  }

  private long newestAt(long now) {
    return Math.max(newest, Math.floorDiv(now, cellNanos()));
  }

  private long sum(long now) {
    return AmountRing.sum(cells, oldest(now), newest);
  }

  /** Returns whether a sub-cell that is in the ring at {@code now} counts. */
  private boolean counts(long cell, long now) {
    return cell <= newest && cell >= AmountRing.kept(cells, oldest(now), newestAt(now));
  }

  @Override
  public LimitSpec spec() {
    return feedback.configured();
  }

  @Override
  public long capacity(long now) {
    return at(now).inForce().capacity();
  }

  long restoredAt(long now) {
    TrailingWindowState state = at(now);
    long restored = now;
    while (state.inForce().capacity() < state.capacity()) {
      restored = state.feedback.untilNanos();
      state = state.at(restored);
    }
    return restored;
  }

  /** Returns this state at {@code now}, without a lower limit that has expired. */
  private TrailingWindowState at(long now) {
    TrailingWindowState state = this;
    while (now >= state.feedback.untilNanos()) {
      state = state.raised();
    }
    return state;
  }

  /** Returns this state when the limit in force has expired. */
  private TrailingWindowState raised() {
    long from = feedback.untilNanos();
    RefusalCeiling refusals = feedback.refusals();
    RefusalCeiling next = refusals == null ? null : refusals.next(capacity());
    return next == null ? unlowered(feedback.configured(), from) : stepped(next, from);
  }

  private TrailingWindowState unlowered(LimitSpec.TrailingWindow configured, long now) {
    return respecced(configured, feedback.unlowered(configured), now);
  }

  /** Returns this state with a limit that refusals have taught, in force from {@code from} on. */
  private TrailingWindowState stepped(RefusalCeiling refusals, long from) {
    ProviderFeedback next = feedback.refused(refusals, from);
    return respecced(next.lowered(refusals.capacity()), next, from);
  }

  @Override
  public long room(long now) {
    TrailingWindowState state = at(now);
    return Math.max(0, Math.min(state.free(now), feedback.ceiling().room(totalTaken, now)));
  }

  /** Returns what the window itself has left. */
  private long free(long now) {
    return Math.max(0, inForce().capacity() - reserved - sum(now));
  }

  /** Returns this state with a pace for a part of the capacity, ≥ 1. */
  TrailingWindowState paced(long part, long now) {
    TrailingWindowState state = at(now);
    return state.with(state.pace.of(part, now));
  }

  private TrailingWindowState with(WindowPace next) {
    return new TrailingWindowState(
        next, extraGuardNanos, newest, cells, reserved, totalTaken, feedback);
  }

  @Override
  public long paceAllowsAt(long amount, long now) {
    TrailingWindowState state = at(now);
    long until = state.feedback.untilNanos();
    long instant = state.pace.allowsAt(amount);
    return instant <= until ? instant : Math.max(until, state.paceAllowsAt(amount, until));
  }

  /** Returns the amount, at most the burst, that the pace lets pass at {@code now}. */
  long paceRoom(long now) {
    return at(now).pace.room(now);
  }

  @Override
  public long roomFreeAt(long amount, long now) {
    TrailingWindowState state = at(now);
    long until = state.feedback.untilNanos();
    long instant = state.empties(amount, now);
    return instant <= until ? instant : Math.max(until, state.roomFreeAt(amount, until));
  }

  private long empties(long amount, long now) {
    return amount == 0 // 0 fits even into an overdrawn window
        ? now
        : Math.max(leaves(amount, now), feedback.ceiling().roomFreeAt(amount, totalTaken, now));
  }

  /** Returns the instant at which enough has left the window. */
  private long leaves(long amount, long now) {
    long over = sum(now) + reserved + amount - inForce().capacity();
    if (over <= 0) {
      return now;
    }
    long index = AmountRing.reaching(over, cells, oldest(now), newest);
    return index == Long.MAX_VALUE ? Ticker.NEVER : (index + 1) * cellNanos() + countsFor();
  }

  @Override
  public Taken take(long taken, long held, long now) {
    TrailingWindowState state = at(now);
    long cell = newestAt(now);
    long mark = totalTaken + taken + held;
    WindowPace next = state.pace.taken(taken + held, mark, now);
    TrailingWindowState after = state.with(now, cell, taken, reserved + held, next, mark);
    return new Taken(after, new LimitAnswer.Receipt(cell, taken, held, mark));
  }

  /**
   * Returns this state with the cells up to now cleared and {@code amount} added to one of them.
   */
  private TrailingWindowState with(
      long now, long cell, long amount, long held, WindowPace pace, long total) {
    long last = newestAt(now);
    long[] next = AmountRing.rolled(cells, newest, last);
    int at = Math.floorMod(cell, next.length);
    next[at] = Math.max(0, AmountBound.sum(next[at], amount));
    return new TrailingWindowState(pace, extraGuardNanos, last, next, held, total, feedback);
  }

  @Override
  public LocalState giveBack(LimitAnswer.Receipt receipt, long taken, long held, long now) {
    long back = Math.min(taken + held, receipt.taken() + receipt.reserved());
    return giveBack(receipt.cell(), receipt.totalTaken(), taken, held, now)
        .taught(feedback.with(feedback.ceiling().afterGiveBack(receipt.totalTaken(), back)));
  }

  /** Gives back an amount of which it is not known when it was taken, without moving the pace. */
  @Override
  public TrailingWindowState giveBack(long cell, long taken, long held, long now) {
    return giveBack(cell, 0, taken, held, now);
  }

  /**
   * Gives back part or all of a take.
   *
   * @param mark the running total after that take; 0 when it is not known
   */
  TrailingWindowState giveBack(long cell, long mark, long taken, long held, long now) {
    TrailingWindowState state = at(now);
    long back = counts(cell, now) ? taken : 0;
    return state.with(
        now,
        back == 0 ? newestAt(now) : cell,
        -back,
        Math.max(0, reserved - held),
        state.pace.givenBack(held + back, mark, now),
        totalTaken);
  }

  /**
   * Returns the state after a charge has moved to the sub-cell of {@code now}, or null when it
   * stays where it is: it was made in that sub-cell or a later one, or it does not count any more.
   */
  @Nullable TrailingWindowState moved(LimitAnswer.Receipt receipt, long now) {
    long to = newestAt(now);
    long from = receipt.cell();
    if (from >= to || !counts(from, now)) {
      return null;
    }
    long amount = Math.min(receipt.taken(), cell(from));
    return with(now, from, -amount, reserved, pace, totalTaken)
        .with(now, to, amount, reserved, pace, totalTaken);
  }

  private TrailingWindowState taught(ProviderFeedback next) {
    return next.equals(feedback)
        ? this
        : new TrailingWindowState(pace, extraGuardNanos, newest, cells, reserved, totalTaken, next);
  }

  @Override
  public Taken charge(long amount, long released, long now) {
    TrailingWindowState state = at(now);
    long cell = newestAt(now);
    return new Taken(
        state.with(
            now,
            cell,
            amount,
            Math.max(0, reserved - released),
            state.pace.charged(amount - released, now),
            totalTaken),
        new LimitAnswer.Receipt(cell, amount, 0));
  }

  TrailingWindowState widened(long nanos) {
    long extra = Math.clamp(nanos, 0, MAX_EXTRA_GUARD_NANOS);
    return extra == extraGuardNanos
        ? this
        : new TrailingWindowState(pace, extra, newest, cells, reserved, totalTaken, feedback);
  }

  @Override
  public LimitBalance balance(long now) {
    return new LimitBalance(sum(now), 0, reserved);
  }

  @Override
  public List<ChargedCell> cells(long now) {
    List<ChargedCell> all = new ArrayList<>();
    long last = newestAt(now);
    for (long index = AmountRing.kept(cells, oldest(now), newest); index <= last; index++) {
      long charged = index <= newest ? cell(index) : 0;
      long amount = index == last ? AmountBound.sum(charged, reserved) : charged;
      if (amount > 0) {
        all.add(new ChargedCell((index + 1) * cellNanos(), amount));
      }
    }
    return all;
  }

  @Override
  public @Nullable LocalState withSpec(LimitSpec next, long now) {
    if (next instanceof LimitSpec.TrailingWindow window
        && window.windowNanos() == inForce().windowNanos()) {
      TrailingWindowState state = at(now);
      long capacity = state.inForce().capacity();
      return state.feedback.isStated() && window.capacity() > capacity
          ? state.lowered(window, capacity, state.feedback.untilNanos(), now)
          : state.unlowered(window, now);
    }
    return null;
  }

  TrailingWindowState withNotice(ProviderNotice notice, long now) {
    // The answer is of an earlier request, or of one before the limit was created anew.
    if (notice.totalTaken() < feedback.ceiling().mark() || notice.totalTaken() > totalTaken) {
      return this;
    }
    TrailingWindowState state = at(now);
    if (notice.statesRemaining()) {
      long believed = state.free(now);
      ProviderCeiling providerCeiling =
          ProviderCeiling.of(notice, state.inForce().capacity(), believed, totalTaken, now);
      state = state.taught(state.feedback.with(providerCeiling));
    }
    return notice.statesLimit() ? state.limited(notice.limit(), now) : state;
  }

  /**
   * Returns the amount that was charged in the window that ends at {@code now}. The sub-cell in
   * which the window begins counts in part.
   */
  long passed(long now) {
    long begin = now - inForce().windowNanos();
    long first = Math.floorDiv(begin, cellNanos());
    long whole = AmountRing.sum(cells, first + 1, newest);
    double within = 1 - (double) Math.floorMod(begin, cellNanos()) / cellNanos();
    boolean kept = first <= newest && first > newest - cells.length;
    return AmountBound.sum(whole, kept ? Math.round(within * cell(first)) : 0);
  }

  /**
   * Returns this state after a refusal by a provider that states no limits.
   *
   * @param releasedNanos when the refused request was released
   * @param passed the amount that passed in the window before, by all that share the limit
   */
  TrailingWindowState refused(long releasedNanos, long passed, long now) {
    TrailingWindowState state = at(now);
    RefusalCeiling before = state.feedback.refusals();
    long capacity = state.inForce().capacity();
    boolean known = before != null && releasedNanos < before.sinceNanos();
    return state.feedback.isStated() || known || capacity == 1
        ? this
        : state.stepped(RefusalCeiling.lowered(before, capacity, passed, now), now);
  }

  /** Returns the ceiling that refusals have taught, or null. */
  @Nullable LearnedCeiling ceiling(long now) {
    TrailingWindowState state = at(now);
    RefusalCeiling refusals = state.feedback.refusals();
    return refusals == null
        ? null
        : new LearnedCeiling(refusals.capacity(), refusals.probes(), state.feedback.untilNanos());
  }

  /** Returns how often a limit that refusals had lowered was raised again. */
  long raises(long now) {
    return at(now).feedback.raises();
  }

  /** Returns this state when the provider allows {@code limit}. */
  private TrailingWindowState limited(long limit, long now) {
    LimitSpec.TrailingWindow configured = feedback.configured();
    return limit < configured.capacity()
        ? lowered(configured, limit, AmountBound.sum(now, ProviderFeedback.LOWERED_NANOS), now)
        : unlowered(configured, now);
  }

  private TrailingWindowState lowered(
      LimitSpec.TrailingWindow configured, long limit, long until, long now) {
    ProviderFeedback next = feedback.stated(configured, until);
    return respecced(next.lowered(limit), next, now);
  }

  /** Returns this state at another rate. The pace owes the same amount as before. */
  private TrailingWindowState respecced(
      LimitSpec.TrailingWindow next, ProviderFeedback learned, long now) {
    long[] resized = AmountRing.resized(cells, newest, length(next));
    return new TrailingWindowState(
        pace.of(next, now), extraGuardNanos, newest, resized, reserved, totalTaken, learned);
  }

  @Nullable LearnedLimit learned(long now) {
    ProviderCeiling providerCeiling = feedback.ceiling();
    return providerCeiling.none() ? null : providerCeiling.learned(totalTaken, now);
  }
}
