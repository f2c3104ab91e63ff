package io.penstock.event;

import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.cost.Operation;
import io.penstock.cost.Usage;
import io.penstock.refusal.Refusal;
import org.jspecify.annotations.Nullable;

/** Something that happened. All times are nanoseconds of the monotonic clock. */
public sealed interface Event {
  /** Returns when it happened. */
  long atNanos();

  /** Something that happened to a ticket. */
  sealed interface TicketEvent extends Event {
    /** Returns the path of the endpoint. */
    String endpoint();

    /** Returns the ticket's arrival number. */
    long ticket();
  }

  /** A ticket began to wait. */
  record Queued(long atNanos, String endpoint, long ticket, Cost cost) implements TicketEvent {}

  /**
   * A ticket was let go.
   *
   * @param upstream where it goes, or null for a permit
   * @param model the model it asks for, if it names one
   * @param waitedNanos since it arrived
   */
  record Released(
      long atNanos,
      String endpoint,
      long ticket,
      @Nullable String upstream,
      @Nullable String model,
      Cost cost,
      long waitedNanos)
      implements TicketEvent {}

  /** The answer, of any status, reached its end. */
  record Served(long atNanos, String endpoint, long ticket) implements TicketEvent {}

  /** A ticket was refused, at arrival or later. */
  record Refused(long atNanos, String endpoint, long ticket, Refusal refusal)
      implements TicketEvent {}

  /** A ticket waited until its deadline. */
  record Expired(long atNanos, String endpoint, long ticket, Refusal refusal)
      implements TicketEvent {}

  /** The client went away. */
  record Cancelled(long atNanos, String endpoint, long ticket) implements TicketEvent {}

  /**
   * What would have become of a ticket that nothing holds, because its endpoint is only a shadow.
   *
   * @param ticket the number of the ticket that was let go in any case
   * @param waitedNanos how long it would have waited until then, since it arrived
   * @param refusal why it would not have gone, or null if it would
   */
  record Shadowed(
      long atNanos, String endpoint, long ticket, long waitedNanos, @Nullable Refusal refusal)
      implements TicketEvent {}

  /**
   * A ticket's cost was replaced by what it used.
   *
   * @param reservedTokens input plus output that were expected
   * @param usedTokens input plus output that were used
   * @param overrunTokens by how much the usage was above what had been reserved
   */
  record Settled(
      long atNanos,
      String endpoint,
      long ticket,
      @Nullable String upstream,
      @Nullable String model,
      long reservedTokens,
      long usedTokens,
      long overrunTokens)
      implements TicketEvent {}

  /**
   * What was expected of a ticket that was let go was given back whole: it was never sent, or it
   * goes again, and is let go anew.
   */
  record Returned(
      long atNanos,
      String endpoint,
      long ticket,
      @Nullable String upstream,
      @Nullable String model,
      long reservedTokens)
      implements TicketEvent {}

  /**
   * An upstream was called for something that is weighed, and that is over; once for each attempt.
   *
   * @param lastedNanos since the ticket was let go
   * @param usage what the answer says that was used, or null when it says nothing
   * @param error the status of an answer that is an error, or the reason why there is none to its
   *     end; null when all is well
   */
  record Called(
      long atNanos,
      String endpoint,
      String upstream,
      @Nullable String model,
      Dialect dialect,
      Operation operation,
      long lastedNanos,
      @Nullable Usage usage,
      @Nullable String error)
      implements Event {}

  /**
   * An answer said how much input its request had, which had been estimated.
   *
   * @param expectedTokens of input, as estimated before the call
   * @param usedTokens of input, as the provider counted them
   */
  record Estimated(
      long atNanos, String endpoint, @Nullable String model, long expectedTokens, long usedTokens)
      implements Event {}

  /**
   * The configuration was read.
   *
   * @param applied whether it runs now
   * @param detail what was found, or the first fault
   */
  record Reloaded(long atNanos, boolean applied, String detail) implements Event {}

  /**
   * How this instance stands with those it shares limits with is otherwise than before.
   *
   * @param sharing of which limits, {@code exact} or {@code eventual}; null when it is of all
   * @param members how many instances share them as far as is known, this one included; 0 when that
   *     is not known
   * @param detail what follows from it, in a few words
   */
  record Synced(long atNanos, @Nullable String sharing, Change change, long members, String detail)
      implements Event {
    /** What has changed. */
    public enum Change {
      /** It has just come, and is granted nothing for as long as a slice lasts. */
      JOINING,
      /** It is granted what there is. */
      JOINED,
      /** Nobody may know all that was spent: nothing is taken until that is learned. */
      LEARNING,
      /** That was learned. */
      LEARNED,
      /** Limits grant nothing more for a while: what was spent of them may have been lost. */
      RECOVERING,
      /** All limits grant again what there is. */
      RECOVERED,
      /** Nothing was heard for as long as a slice lasts: limits do what is configured for that. */
      CUT_OFF,
      /** It is heard again, and limits are shared. */
      REJOINED,
      /** Another number of instances shares limits. */
      MEMBERS
    }
  }
}
