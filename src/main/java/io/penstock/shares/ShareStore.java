package io.penstock.shares;

import io.penstock.sharing.LimitId;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Store of the shares of limits. Safe from any thread; {@link #exchange} returns at once. When an
 * instance begins to wait for a share, or leaves something for those who wait, the store tells all
 * instances at once ({@link ShareSync#changed}); that may fail, because they look by themselves.
 *
 * <p>A call states what an instance holds itself to from the sending of the call on. The store sets
 * the share to that, and then raises it as far as the limit allows. Nothing is a difference, so the
 * next call mends whatever became of the last one. When the stage completes exceptionally, or
 * never, each of the calls may or may not have been carried out; an answer that comes later than
 * the caller waits for must not be used.
 */
public interface ShareStore {
  /** Carries out the calls of a message in their order, then its beat. */
  CompletionStage<Reply> exchange(Message message);

  /**
   * Message of one instance.
   *
   * @param member the name of the instance and of its life: different after each restart
   */
  record Message(String member, List<Call> calls, Beat beat) {}

  /** The answers to a message, those to calls in the order of the calls. */
  record Reply(List<Answer> answers, BeatAnswer beat) {}

  /**
   * Statement of one instance about one limit. After the last one the store forgets its share.
   *
   * @param sequence higher in each call of this instance about this limit; a call that does not
   *     come with a higher one than the last is ignored
   * @param beat the number of the beat that comes with the call
   * @param epoch the epoch that the instance knows; a call of an earlier one is ignored
   * @param raises whether the share may be raised
   * @param held the instance holds itself to from now on, ≥ what it spent in windows that count
   * @param later what it holds itself to in a later day, until it has called again
   * @param use what it spent and waits for
   * @param absent the instances that died or left, as far as this one watched it
   * @param heard the shares of other instances, to be kept if the store has lost them
   */
  record Call(
      LimitId id,
      long sequence,
      long beat,
      ShareEpoch epoch,
      boolean raises,
      long held,
      long later,
      ShareUse use,
      List<Absent> absent,
      List<Row> heard) {
    /** Returns whether the instance shares the limit no more, and nothing that it spent counts. */
    public boolean isLast() {
      return use.capacity() == 0 && held == 0 && later == 0 && use.isUnspent();
    }
  }

  /**
   * An instance that no longer spends.
   *
   * @param number that of its last beat: what it stated after that still counts
   * @param ageMillis for how long it has been certain to have stopped, ≥ 0
   * @param released whether only what it stated as spent counts
   */
  record Absent(String member, long number, long ageMillis, boolean released) {}

  /**
   * Share of one instance.
   *
   * @param beat the number of the beat with which it was stated; −1 if another instance told it
   * @param share what it may hold itself to
   * @param later what it may hold itself to in a later day
   * @param cell see {@link ShareUse#cell}: what it spent there in the cell before counts, too
   * @param decayMillis see {@link ShareUse#decayMillis}
   */
  record Row(
      String member, long beat, long share, long later, ShareUse.Cell cell, long decayMillis) {
    /** Returns this row as it counts when another cell runs. */
    Row in(ShareUse.Cell running) {
      long counts = cell.isBefore(running) ? Math.min(share, later) : share;
      return new Row(member, beat, counts, later, cell, decayMillis);
    }
  }

  /** Something about a limit that all instances are told, until it counts no more. */
  sealed interface Told {
    /** Returns the limit. */
    LimitId id();

    /** Returns the name of the instance that tells it. */
    String member();

    /** Returns for how many milliseconds it counts. */
    long leftMillis();

    /** Share of a limit with a long window. A newer one takes the place of an older one. */
    record Share(LimitId id, Row row) implements Told {
      @Override
      public String member() {
        return row.member();
      }

      @Override
      public long leftMillis() {
        return row.decayMillis();
      }
    }

    /**
     * Count of one instance for a limit and a cell. A newer one takes the place of an older one
     * about the same cell.
     *
     * @param cell floor(Unix time ÷ duration of the limit)
     * @param amount in the limit's measure, ≥ 0; it only grows
     */
    record Counted(LimitId id, String member, long cell, long amount, long leftMillis)
        implements Told {}
  }

  /** The fate of a call. */
  enum Outcome {
    /** It counts. */
    TAKEN,
    /** It is ignored, because the store knows a later one, or one of a later epoch. */
    LATE,
    /** It is ignored, because the key of the limit holds something else. */
    UNUSABLE
  }

  /**
   * Answer to a call.
   *
   * @param outcome the other values have no meaning if the call is ignored
   * @param known whether the store knew a share that the caller had stated in this epoch
   * @param share the share of the caller
   * @param target what the caller should shrink to while others wait
   * @param crowded whether the instances need more than the limit
   * @param free what no instance has, ≥ 0
   * @param capacity the least that any living instance states
   * @param rows the shares of all other instances
   */
  record Answer(
      LimitId id,
      Outcome outcome,
      boolean known,
      long share,
      long target,
      boolean crowded,
      long free,
      long capacity,
      List<Row> rows) {
    /** Returns the answer to a call that is ignored. */
    public static Answer ignored(LimitId id, Outcome outcome) {
      return new Answer(id, outcome, false, 0, 0, false, 0, 0, List.of());
    }

    /** Returns whether the call counts. */
    public boolean taken() {
      return outcome == Outcome.TAKEN;
    }
  }

  /**
   * Sign of life of one instance.
   *
   * @param number higher in each beat of this instance
   * @param epoch the epoch that the instance knows
   * @param count the highest {@link BeatAnswer#count} that it knows
   * @param version the highest {@link BeatAnswer#version} that it knows
   * @param registered whether it has stated all that it holds in this epoch
   * @param doubts whether it has found that the store lost a share in this epoch
   * @param remembers whether it was ever granted anything
   * @param known the other instances that it knows, living or not
   * @param still instances whose beat has stood still for a lease, then those that are gone
   * @param forgotten absent instances of which nothing counts any more
   * @param waits the limits at which it waits for a larger share
   * @param waited whether it has known this epoch for as long as newcomers wait
   * @param leaves whether this is its last beat
   * @param told its shares of long windows, and its counts, that have changed
   * @param toldUpTo the highest {@link BeatAnswer#toldUpTo} that it knows
   */
  record Beat(
      long number,
      ShareEpoch epoch,
      long count,
      long version,
      boolean registered,
      boolean doubts,
      boolean remembers,
      List<Peer> known,
      List<Still> still,
      List<String> forgotten,
      List<LimitId> waits,
      boolean waited,
      boolean leaves,
      List<Told> told,
      long toldUpTo) {}

  /**
   * An instance, and the number at which its beat has stood still.
   *
   * @param gone whether an operator says that it is gone, after it has died or left
   */
  record Still(String member, long number, boolean gone) {}

  /** The state of an instance in the store. */
  enum Life {
    /** It beats. */
    LIVING,
    /** Its beat stood still for a lease. */
    DEAD,
    /** It has left. */
    LEFT,
    /** It has died or left, and is gone, as an operator says: what it did not spend is free. */
    RELEASED
  }

  /**
   * An instance as the store knows it.
   *
   * @param number that of its last beat; −1 when only others know of it
   * @param stated whether it has stated in this epoch all that it held
   * @param ageMillis for how long it has been certain to have stopped, as far as any instance has
   *     watched it; 0 while it lives
   */
  record Peer(String member, long number, Life life, boolean stated, long ageMillis) {}

  /**
   * Answer to a beat.
   *
   * @param count higher after each beat
   * @param version of the list of instances
   * @param settled whether all that may hold anything have stated it, so that shares may be raised
   * @param uncertain whether something showed that data is missing: what instances that have not
   *     stated anything since then spent must have decayed before a share is raised
   * @param listed whether all living instances know this one
   * @param buried whether this instance had been declared dead
   * @param peers all instances, with this one
   * @param wanted the limits at which other instances wait for a larger share
   * @param told shares of long windows, and counts, that have changed, oldest first; not all at
   *     once if there are many
   * @param toldUpTo the number of the last of them
   * @param complete whether nothing later is told
   */
  record BeatAnswer(
      ShareEpoch epoch,
      long count,
      long version,
      boolean settled,
      boolean uncertain,
      boolean listed,
      boolean buried,
      List<Peer> peers,
      List<LimitId> wanted,
      List<Told> told,
      long toldUpTo,
      boolean complete) {}
}
