package io.penstock.quota;

import io.penstock.limit.LimitSpec;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Hands out slices of shared limits ahead of need, so that no request ever waits for the store they
 * are kept in. Safe from any thread; {@link #round} returns at once.
 *
 * <p>Time is cut in cells of the shared clock: cell c of length d is [c × d, (c + 1) × d). Of a
 * fixed window a cell is the window itself, of a trailing one a sixtieth of it, rounded up to a
 * microsecond. A slice may be spent only inside its own cell. Of all members together, what counts
 * in a cell is never granted above the limit: a fixed window's cell alone, a trailing window's
 * together with all others that count in any instant's window.
 *
 * <p>What counts of a member in a cell is what it says it {@linkplain Use used}, and what was
 * granted to it since: each of its rounds takes the place of all before it. A round that comes
 * late, or twice, is one with an old number: it changes nothing and is granted nothing, and its
 * member was not heard.
 *
 * <p>What is known of one limit may be lost alone. Each limit is born once, and again after such a
 * loss: who has asked before says which birth it knows, and when that is not the one of now, nobody
 * is granted anything of it for as long as slices last that were granted before. Who finds it out
 * {@linkplain Loss tells} the others with its rounds, so that they report what they have of it.
 * What is idle for an hour is forgotten without a loss.
 *
 * <p>While a reload changes the kind of a limit, some members have the old kind and some the new
 * one. All are granted what the old one has room for, and what they spend counts there, until all
 * members have the new kind: what was spent in the running window of the old one counts in it then.
 *
 * <p>When the stage completes exceptionally, or never, nothing is known of the round: it may have
 * been applied. The caller goes on spending the slices it has until they expire, never takes what
 * that round was granted, and says with the next one what it has. It starts no second round before
 * the first ended or was given up.
 */
public interface Supply {
  /** Reports what was done with slices, and asks for more. */
  CompletionStage<Answer> round(Round round);

  /**
   * What one member sends.
   *
   * @param member the instance that asks, the same for as long as it runs, not blank
   * @param number of the round, above those of all earlier rounds of the member
   * @param asks one a limit, only for those with something to say
   * @param whole whether with these asks all is said that the member has spent, as far as it knows
   *     what the store lost; who has seen another life of the store does not know
   * @param losses what the member found lost lately
   * @param seen what the member was answered last, or null for nothing: where the store does not
   *     know of all rounds that it had counted then, it was rolled back, and begins another life
   * @param missed while it is found out what is lost, members that were heard before and not since
   * @param leaves whether it is the member's last round, and says all that is left to say
   */
  record Round(
      String member,
      long number,
      List<Ask> asks,
      boolean whole,
      List<Loss> losses,
      @Nullable Seen seen,
      List<Missed> missed,
      boolean leaves) {
    public Round {
      losses = List.copyOf(losses);
      missed = List.copyOf(missed);
      if (member.isBlank()) {
        throw new IllegalArgumentException("member is blank, expected the name of an instance");
      }
      asks = List.copyOf(asks);
      Set<LimitId> ids = new HashSet<>();
      for (Ask ask : asks) {
        if (!ids.add(ask.id())) {
          throw new IllegalArgumentException(ask.id() + " is asked for twice, expected once");
        }
      }
    }

    /** A round of a member that stays. */
    public Round(
        String member,
        long number,
        List<Ask> asks,
        boolean whole,
        List<Loss> losses,
        @Nullable Seen seen,
        List<Missed> missed) {
      this(member, number, asks, whole, losses, seen, missed, false);
    }

    /** A round that says all, of a member that found nothing lost. */
    public Round(String member, long number, List<Ask> asks) {
      this(member, number, asks, true, List.of());
    }

    /** A round of a member that was answered nothing so far. */
    public Round(String member, long number, List<Ask> asks, boolean whole, List<Loss> losses) {
      this(member, number, asks, whole, losses, null);
    }

    /** A round of a member that misses nobody. */
    public Round(
        String member,
        long number,
        List<Ask> asks,
        boolean whole,
        List<Loss> losses,
        @Nullable Seen seen) {
      this(member, number, asks, whole, losses, seen, List.of());
    }
  }

  /**
   * What is known of the store.
   *
   * @param life which life of it answered
   * @param run which run of it answered
   * @param count of the rounds it had answered
   */
  record Seen(String life, String run, long count) {}

  /**
   * A run of the store: another one begins when it is restarted, or replaced by a copy.
   *
   * @param name of the run
   * @param ageNanos how long ago its first round was
   * @param gapNanos how long before that the last round was that is known of the run before; {@link
   *     Long#MAX_VALUE} when no round was
   * @param kept of the rounds that had been counted when this member was answered last, the store
   *     surely knows the first so many; {@link Long#MAX_VALUE} when it knows all of them
   */
  record Run(String name, long ageNanos, long gapNanos, long kept) {
    public Run {
      check("ageNanos", ageNanos);
      check("gapNanos", gapNanos);
      check("kept", kept);
    }
  }

  /**
   * A member of which the store may know less than another member does.
   *
   * @param name of the instance
   * @param heardNanos when it was heard last, by the shared clock
   */
  record Missed(String name, long heardNanos) {}

  /**
   * A limit of which all was lost that the store knew.
   *
   * @param id which limit
   * @param born when it was born again
   */
  record Loss(LimitId id, long born) {}

  /**
   * What a member has to say of one limit.
   *
   * @param id which limit
   * @param spec what this member is configured to have it do; of differing ones the lowest capacity
   *     among living members binds
   * @param from the first cell that is reported: of this one and all after it, what is not in
   *     {@code uses} is 0; what counts in those before it stays as it was. Of slots, of which
   *     nothing is reported, the first that is of use
   * @param uses what was spent, or may still be, by cell, {@code from} or later
   * @param head what the first that waits lacks in one cell, ≥ 0: less would not let it go, so that
   *     it is granted whole or not at all, and kept for the member that lacked it first
   * @param wanted how much more is wanted ahead of need, ≥ 0: as much as there is, the running cell
   *     first, less when little is left
   * @param barred the last cell in which nobody is granted anything, because what was spent there
   *     may have been lost; {@link #NONE} for no such cell
   * @param born which birth of the limit the member knows; {@link #NONE} for none
   */
  record Ask(
      LimitId id,
      LimitSpec spec,
      long from,
      List<Use> uses,
      long head,
      long wanted,
      long barred,
      long born) {
    /** No cell, and no birth. */
    public static final long NONE = -1;

    public Ask {
      uses = List.copyOf(uses);
      check("head", head);
      check("wanted", wanted);
      for (Use use : uses) {
        if (use.cell() < from) {
          throw new IllegalArgumentException(
              "use is of cell %d, expected %d or later".formatted(use.cell(), from));
        }
      }
    }

    /** An ask of who knows no birth. */
    public Ask(
        LimitId id,
        LimitSpec spec,
        long from,
        List<Use> uses,
        long head,
        long wanted,
        long barred) {
      this(id, spec, from, uses, head, wanted, barred, NONE);
    }
  }

  /**
   * What a member did with its slices of one cell.
   *
   * @param cell the cell
   * @param amount spent in it, refunds deducted, and still to be spent, ≥ 0; above what it was
   *     granted when usage ran over. Debt is spent in the cells that pay it
   */
  record Use(long cell, long amount) {
    public Use {
      check("amount", amount);
    }
  }

  /**
   * What a round is answered.
   *
   * @param clockNanos the shared clock when the slices were cut
   * @param life which life of the store answers: another one when it has lost anything that a
   *     member was told, or all it knew
   * @param run which run of the store answers, be it with all that the run before knew
   * @param count of all rounds that life has answered, this included: not above the last one seen
   *     when it was rolled back
   * @param members all members heard of by that life, this one included
   * @param grants one for each ask that was taken note of; of asks that are absent, nothing is
   *     known, as of a round that failed
   * @param losses what members found lost lately, at least those of this round
   * @param lostNanos how long ago a member that had seen another life than that of then was heard
   *     first: all that it knew there may be lost; {@link Long#MAX_VALUE} when none was
   */
  record Answer(
      long clockNanos,
      String life,
      Run run,
      long count,
      List<Member> members,
      List<Grant> grants,
      List<Loss> losses,
      long lostNanos) {
    public Answer {
      check("lostNanos", lostNanos);
      members = List.copyOf(members);
      losses = List.copyOf(losses);
      grants = List.copyOf(grants);
    }
  }

  /**
   * A member as the store knows it.
   *
   * @param name of the instance
   * @param silentNanos for how long nothing was heard of it, ≥ 0
   * @param wholeNanos how long ago it said all that it has, {@link Long#MAX_VALUE} when it never
   *     did
   * @param awareNanos how long ago it was heard when it had been answered by this run and this life
   *     of the store, {@link Long#MAX_VALUE} when it never was
   * @param left whether it has said that it leaves
   */
  record Member(String name, long silentNanos, long wholeNanos, long awareNanos, boolean left) {
    public Member {
      check("silentNanos", silentNanos);
      check("wholeNanos", wholeNanos);
      check("awareNanos", awareNanos);
    }

    /** One that stays, and knew what answered when it said all. */
    public Member(String name, long silentNanos, long wholeNanos) {
      this(name, silentNanos, wholeNanos, wholeNanos, false);
    }

    /** One that said all when it was heard last. */
    public Member(String name, long silentNanos) {
      this(name, silentNanos, silentNanos);
    }
  }

  /**
   * Slices of one limit.
   *
   * @param id which limit
   * @param capacity the lowest that any living member is configured with
   * @param born when the store began to know of the limit
   * @param slices at most one a cell; none when nothing is left
   * @param barred the last cell in which nobody is granted anything, because what was spent there
   *     may have been lost; {@link Ask#NONE} when the running cell is a later one
   * @param left what no member has of the cell that runs, after this grant, ≥ 0
   * @param fullNanos when all of it is left again, by the shared clock; now when it is, and where
   *     nobody knows
   */
  record Grant(
      LimitId id,
      long capacity,
      long born,
      List<Slice> slices,
      long barred,
      long left,
      long fullNanos) {
    public Grant {
      slices = List.copyOf(slices);
    }

    /** One of a limit of which nothing is lost. */
    public Grant(
        LimitId id, long capacity, long born, List<Slice> slices, long left, long fullNanos) {
      this(id, capacity, born, slices, Ask.NONE, left, fullNanos);
    }
  }

  /**
   * A part of a shared limit that one member may spend alone.
   *
   * @param cell the cell it may be spent in
   * @param amount in the limit's measure, ≥ 1
   */
  record Slice(long cell, long amount) {
    public Slice {
      if (amount < 1) {
        throw new IllegalArgumentException("amount is " + amount + ", expected at least 1");
      }
    }
  }

  private static void check(String name, long value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + " is " + value + ", expected 0 or more");
    }
  }
}
