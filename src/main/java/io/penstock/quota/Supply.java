package io.penstock.quota;

import io.penstock.limit.LimitSpec;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Hands out slices of shared limits ahead of need, so that no request ever waits for the store they
 * are kept in. Safe from any thread; {@link #round} returns at once.
 *
 * <p>Time is cut in cells of the shared clock: cell c of length d is [c × d, (c + 1) × d). Of a
 * fixed window a cell is the window itself, of a trailing one a sixtieth of it, rounded up to a
 * nanosecond. A slice may be spent only inside its own cell. Of all members together, what counts
 * in a cell is never granted above the limit: a fixed window's cell alone, a trailing window's
 * together with all others that count in any instant's window. What counts of one member in one
 * cell is the larger of granted less returned, and spent.
 *
 * <p>When the stage completes exceptionally, or never, nothing is known of the round: it may have
 * been applied. The caller goes on spending the slices it has until they expire, keeps its counts,
 * which are absolute, and sends them again with the next round. It starts no second round before
 * the first ended or was given up.
 */
public interface Supply {
  /** Reports what was done with slices, and asks for more. */
  CompletionStage<Answer> round(Round round);

  /**
   * What one member sends.
   *
   * @param member the instance that asks, the same for as long as it runs, not blank
   * @param asks one a limit, only for those with something to say
   */
  record Round(String member, List<Ask> asks) {
    public Round {
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
   * What a member has to say of one limit.
   *
   * @param id which limit
   * @param spec what this member is configured to have it do; of differing ones the lowest capacity
   *     among living members binds
   * @param uses what became of its slices, for every cell that may still count
   * @param wanted how much more it wants, in the limit's measure, ≥ 0; the running cell is served
   *     first
   */
  record Ask(LimitId id, LimitSpec spec, List<Use> uses, long wanted) {
    public Ask {
      uses = List.copyOf(uses);
      check("wanted", wanted);
    }
  }

  /**
   * What a member did with its slices of one cell, both since its first: absolute, so that a round
   * that is repeated, or comes late, does no harm.
   *
   * @param cell the cell
   * @param spent charged by this member, ≥ 0; above what it was granted when usage ran over. Debt
   *     is spent in the cells that pay it
   * @param returned given back unspent, ≥ 0; the member can spend it no more
   */
  record Use(long cell, long spent, long returned) {
    public Use {
      check("spent", spent);
      check("returned", returned);
    }
  }

  /**
   * What a round is answered.
   *
   * @param clockNanos the shared clock when the slices were cut
   * @param grants slices by limit; limits of which nothing is left are absent
   */
  record Answer(long clockNanos, List<Grant> grants) {
    public Answer {
      grants = List.copyOf(grants);
    }
  }

  /** Slices of one limit. */
  record Grant(LimitId id, List<Slice> slices) {
    public Grant {
      slices = List.copyOf(slices);
    }
  }

  /**
   * A part of a shared limit that one member may spend alone.
   *
   * @param cell the cell it may be spent in
   * @param amount in the limit's measure, ≥ 1
   * @param expiresAfterNanos how long it may be spent, on the member's own monotonic clock, counted
   *     from the instant it sent the round, &gt; 0
   * @param epoch which life of the store granted it; slices of another epoch than the newest one
   *     seen are void
   */
  record Slice(long cell, long amount, long expiresAfterNanos, long epoch) {
    public Slice {
      if (amount < 1 || expiresAfterNanos < 1) {
        throw new IllegalArgumentException(
            "slice is %d for %d ns, expected both at least 1".formatted(amount, expiresAfterNanos));
      }
    }
  }

  private static void check(String name, long value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + " is " + value + ", expected 0 or more");
    }
  }
}
