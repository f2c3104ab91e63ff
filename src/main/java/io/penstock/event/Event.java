package io.penstock.event;

import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.cost.ModelOperation;
import io.penstock.cost.TokenUsage;
import io.penstock.refusal.Refusal;
import java.util.List;
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
   * A ticket was granted.
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
   * The fate that a ticket would have had in a queue that is only a shadow, and so does not make it
   * wait.
   *
   * @param ticket the number of the ticket, which was granted in any case
   * @param waitedNanos how long it would have waited until then, since it arrived
   * @param refusal why it would not have been granted, or null if it would
   */
  record Shadowed(
      long atNanos, String endpoint, long ticket, long waitedNanos, @Nullable Refusal refusal)
      implements TicketEvent {}

  /**
   * A ticket's expected cost was replaced by its usage.
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
   * The expected cost of a granted ticket was given back whole: it was never sent, or it goes again
   * and is granted anew.
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
   * An attempt at an upstream is over. There is one for each call with a cost.
   *
   * @param lastedNanos since the ticket was granted
   * @param usage the usage in the answer, or null when it has none
   * @param error the status of an answer that is an error, or of the error that it states inside,
   *     or the reason why the answer did not reach its end; null when all is well
   */
  record Called(
      long atNanos,
      String endpoint,
      String upstream,
      @Nullable String model,
      Dialect dialect,
      ModelOperation operation,
      long lastedNanos,
      @Nullable TokenUsage usage,
      @Nullable String error)
      implements Event {}

  /**
   * The first output of a stream has come from its upstream.
   *
   * @param tookNanos since the ticket was granted
   */
  record FirstOutput(
      long atNanos,
      String endpoint,
      String upstream,
      @Nullable String model,
      Dialect dialect,
      ModelOperation operation,
      long tookNanos)
      implements Event {}

  /**
   * The real input of a request became known from its answer, after it had been estimated.
   *
   * @param expectedTokens of input, as estimated before the call
   * @param usedTokens of input, as the provider counted them
   */
  record Estimated(
      long atNanos, String endpoint, @Nullable String model, long expectedTokens, long usedTokens)
      implements Event {}

  /**
   * A request carried parameters under short names that its endpoint does not read.
   *
   * @param parameters the names: of a header, or of a query parameter after a question mark
   */
  record ParametersIgnored(long atNanos, String endpoint, List<String> parameters)
      implements Event {
    public ParametersIgnored {
      parameters = List.copyOf(parameters);
    }
  }

  /**
   * A budget was used to a percentage at which operators want to know.
   *
   * @param owner such as {@code key alice} or {@code group team}
   * @param budget its size in words
   * @param percent 80 or 100
   * @param usedTokens the tokens that count of it
   * @param tokens its size
   */
  record BudgetUsed(
      long atNanos, String owner, String budget, int percent, long usedTokens, long tokens)
      implements Event {}

  /**
   * An operator changed something.
   *
   * @param who the name of the operator's token, or another name where there is none
   * @param from the network address of the operator, or an empty text
   * @param what the request to the operator port
   */
  record Operated(long atNanos, String who, String from, String what) implements Event {}

  /**
   * The configuration was read.
   *
   * @param applied whether it is in force now
   * @param detail what was found, or the first fault
   */
  record Reloaded(long atNanos, boolean applied, String detail) implements Event {}

  /**
   * The state of this instance in the sharing of limits has changed.
   *
   * @param sharing the kind of sharing, {@code exact} or {@code eventual}; null for all limits
   * @param members how many instances are known to share them, this one included; 0 when unknown
   * @param detail the consequence, in a few words
   */
  record Synced(long atNanos, @Nullable String sharing, Change change, long members, String detail)
      implements Event {
    /** Kind of change. */
    public enum Change {
      /** This instance has just come, and is given nothing until all others know it. */
      JOINING,
      /** This instance is granted what there is. */
      JOINED,
      /** The amount spent is not fully known: nothing is taken until it is learned. */
      LEARNING,
      /** The amount spent has been learned. */
      LEARNED,
      /** Nothing was heard for a lease: limits do what is configured for an outage. */
      CUT_OFF,
      /** Contact is restored, and limits are shared. */
      REJOINED,
      /** The number of instances that share limits has changed. */
      MEMBERS
    }
  }
}
