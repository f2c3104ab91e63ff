package io.penstock.pool;

import io.penstock.quota.Standing;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one answer of a provider teaches about its limits and its state.
 *
 * @param status the HTTP status
 * @param standings of the limits it mentions
 * @param retryAfterNanos when it says to come again, ≥ 0 from now, or {@link Standing#UNSAID}
 * @param wording what its body says
 * @param oddity what of it cannot be read, without its content, or null
 */
public record Lesson(
    int status,
    List<Standing> standings,
    long retryAfterNanos,
    Wording wording,
    @Nullable String oddity) {
  /** A lesson of which all can be read. */
  public Lesson(int status, List<Standing> standings, long retryAfterNanos, Wording wording) {
    this(status, standings, retryAfterNanos, wording, null);
  }

  /** What the body of an error says is wrong, as far as that changes what to do. */
  public enum Wording {
    /** Nothing that is known here, or it was not read. */
    OTHER,
    /** Too much in too short a time: it passes. */
    RATE,
    /** A bill, a spend cap or a plan: it does not pass by waiting. */
    SPENT,
    /** This request is larger than any limit: it never goes. */
    TOO_LARGE,
    /** The provider itself has too much to do. */
    OVERLOADED,
    /** The request must not ask for the usage of a stream. */
    NO_STREAM_USAGE
  }

  public Lesson {
    standings = List.copyOf(standings);
  }

  /** Returns what an answer teaches that says nothing. */
  public static Lesson silent(int status) {
    return new Lesson(status, List.of(), Standing.UNSAID, Wording.OTHER);
  }
}
