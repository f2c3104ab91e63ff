package io.penstock.sharing;

import io.penstock.limit.CellAmount;
import io.penstock.limit.LimitSpec;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Store of shared limits that grants slices of them ahead of need, so that no request ever waits
 * for the store. Safe from any thread; {@link #round} returns at once.
 *
 * <p>Time is divided into cells of the shared clock: cell c of length d is [c × d, (c + 1) × d). A
 * cell of a fixed window is the window itself; a cell of a trailing window is a sixtieth of it,
 * rounded up to a microsecond. A slice may be spent only inside its own cell. The sum over all
 * members never exceeds the limit because of a grant: in a fixed window this holds for each cell
 * alone, in a trailing window for the sum of all cells that count in the window of any instant.
 *
 * <p>The count of a member in a cell is what it reported as {@linkplain Use used} plus what was
 * granted to it since: each of its rounds replaces all earlier ones. A round that is late or
 * repeated has an old number: it changes nothing, gets no grants and does not count as a heartbeat.
 *
 * <p>The data of a single limit may be lost. Each limit is born once, and again after such a loss.
 * A member that has asked for the limit before reports the birth it knows. When that is not the
 * present birth, nothing of the limit is granted to any member for as long as earlier slices may
 * last. A member that finds such a loss {@linkplain Loss informs} the others with its rounds, so
 * that they report what they have of the limit. A limit that is idle for an hour is forgotten
 * without a loss.
 *
 * <p>While a reload changes the kind of a limit, some members have the old kind and some the new
 * one. Until all members have the new kind, all get grants only as far as the old kind has room,
 * and what they spend counts there. Then the amount spent in the running window of the old kind
 * counts in the new one.
 *
 * <p>When the stage completes exceptionally, or never, the round may or may not have been applied.
 * The caller goes on spending the slices it has until they expire, never uses the grants of that
 * round, and reports with the next round what it has. It starts no second round before the first
 * ended or was given up.
 */
public interface SliceStore {
  /** Reports the use of slices, and asks for more. */
  CompletionStage<Answer> round(Round round);

  /**
   * Request of one member.
   *
   * @param member the instance that asks, the same for as long as it runs, not blank
   * @param number of the round, above those of all earlier rounds of the member
   * @param asks at most one per limit, only for limits with something to report or to ask for
   * @param complete whether these asks report everything that the member has spent, as far as it
   *     knows what the store has lost; a member that has seen another life of the store does not
   *     know that
   * @param losses the limits that the member found lost lately
   * @param seen the state of the store in the last answer to the member, or null if there was none;
   *     when the store does not know all rounds that it had counted then, it was rolled back, and
   *     begins another life
   * @param missed during the search for what is lost: members that were heard before and not since
   * @param leaves whether it is the last round of the member and completes its reports
   */
  record Round(
      String member,
      long number,
      List<Ask> asks,
      boolean complete,
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
  }

  /**
   * State of the store as a member saw it in an answer.
   *
   * @param life the life of the store that answered
   * @param run the run of the store that answered
   * @param count the number of rounds that it had answered
   */
  record Seen(String life, String run, long count) {}

  /**
   * Run of the store: another one begins when the store is restarted, or replaced by a copy.
   *
   * @param name of the run
   * @param ageNanos how long ago its first round was
   * @param gapNanos the time between the last known round of the previous run and the first round
   *     of this one; {@link Long#MAX_VALUE} when there was no such round
   * @param kept how many of the rounds that had been counted at the last answer to this member the
   *     store certainly knows, from the first on; {@link Long#MAX_VALUE} when it knows all of them
   */
  record Run(String name, long ageNanos, long gapNanos, long kept) {
    public Run {
      check("ageNanos", ageNanos);
      check("gapNanos", gapNanos);
      check("kept", kept);
    }
  }

  /**
   * A member about which the store may know less than another member does.
   *
   * @param name of the instance
   * @param lastHeartbeatNanos the time of its last heartbeat by the shared clock
   */
  record Missed(String name, long lastHeartbeatNanos) {}

  /**
   * A limit that lost all its data in the store.
   *
   * @param id the limit
   * @param born the time of its new birth
   */
  record Loss(LimitId id, long born) {}

  /**
   * Report and demand of a member for one limit.
   *
   * @param id the limit
   * @param spec the configuration of the limit at this member; where members differ, the lowest
   *     capacity among the living members applies
   * @param from the first reported cell: for this cell and all later ones, a use that is missing in
   *     {@code uses} is 0; the counts of earlier cells stay unchanged. For slots, which are not
   *     reported, the first slot that is of use
   * @param uses what was spent or may still be spent, by cell, {@code from} or later
   * @param lackedAtOnce what the first waiting ticket lacks in one cell, ≥ 0: it is granted whole
   *     or not at all, because the ticket could not go with less, and it is set aside for the
   *     member that lacked it first
   * @param wanted the amount wanted in addition, ahead of need, ≥ 0: granted as far as available,
   *     in the running cell first, and less of it when little is left
   * @param barred the last cell without any grants, because records of what was spent there may
   *     have been lost; {@link #NONE} for no such cell
   * @param born the birth of the limit that the member knows; {@link #NONE} for none
   */
  record Ask(
      LimitId id,
      LimitSpec spec,
      long from,
      List<CellAmount> uses,
      long lackedAtOnce,
      long wanted,
      long barred,
      long born) {
    /** No cell, and no birth. */
    public static final long NONE = -1;

    public Ask {
      uses = List.copyOf(uses);
      check("head", lackedAtOnce);
      check("wanted", wanted);
      for (CellAmount use : uses) {
        if (use.cell() < from) {
          throw new IllegalArgumentException(
              "use is of cell %d, expected %d or later".formatted(use.cell(), from));
        }
      }
    }
  }

  /**
   * Answer to a round.
   *
   * @param clockNanos the shared clock when the slices were granted
   * @param life the life of the store that answers: a new one begins when the store has lost all
   *     its data, or anything that it had answered to a member
   * @param run the run of the store that answers, which may have all data of the previous run
   * @param count the number of rounds that life has answered, including this one; when the store
   *     was rolled back, it is not above the count that the member saw last
   * @param members all members known to that life, including this one
   * @param grants one for each ask that was processed; for an ask without a grant nothing is known,
   *     as after a failed round
   * @param losses the limits that members found lost lately, including at least those of this round
   * @param sinceLossNanos how long ago the first round came from a member that had seen another
   *     life than the one at that time: all data of that other life may be lost; {@link
   *     Long#MAX_VALUE} when there was no such round
   */
  record Answer(
      long clockNanos,
      String life,
      Run run,
      long count,
      List<Member> members,
      List<Grant> grants,
      List<Loss> losses,
      long sinceLossNanos) {
    public Answer {
      check("lostNanos", sinceLossNanos);
      members = List.copyOf(members);
      losses = List.copyOf(losses);
      grants = List.copyOf(grants);
    }
  }

  /**
   * A member as the store knows it.
   *
   * @param name of the instance
   * @param silentNanos the time since its last heartbeat, ≥ 0
   * @param sinceCompleteNanos the time since its last complete report, {@link Long#MAX_VALUE} when
   *     there was none
   * @param sinceAwareNanos the time since its last round that followed an answer of this run and
   *     this life of the store, {@link Long#MAX_VALUE} when there was none
   * @param left whether it has announced that it leaves
   */
  record Member(
      String name, long silentNanos, long sinceCompleteNanos, long sinceAwareNanos, boolean left) {
    public Member {
      check("silentNanos", silentNanos);
      check("wholeNanos", sinceCompleteNanos);
      check("awareNanos", sinceAwareNanos);
    }
  }

  /**
   * Slices of one limit, granted to a member.
   *
   * @param id the limit
   * @param capacity the lowest capacity configured at any living member
   * @param born the time from which the store knows the limit
   * @param slices at most one per cell; none when nothing is left
   * @param barred the last cell without any grants, because records of what was spent there may
   *     have been lost; {@link Ask#NONE} when the running cell is later
   * @param remaining the amount of the running cell that no member has, after this grant, ≥ 0
   * @param fullNanos the time by the shared clock at which the whole limit is available again; the
   *     present time when it is available or when this is unknown
   */
  record Grant(
      LimitId id,
      long capacity,
      long born,
      List<CellAmount> slices,
      long barred,
      long remaining,
      long fullNanos) {
    public Grant {
      slices = List.copyOf(slices);
      for (CellAmount slice : slices) {
        if (slice.amount() < 1) {
          throw new IllegalArgumentException(
              "amount is " + slice.amount() + ", expected at least 1");
        }
      }
    }
  }

  private static void check(String name, long value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + " is " + value + ", expected 0 or more");
    }
  }
}
