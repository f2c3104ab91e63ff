package io.penstock.operator;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.penstock.cost.Cost;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** JSON forms of tickets. Instants are RFC 3339; unknown or inapplicable values are null. */
final class TicketView {
  private TicketView() {}

  /** Expected cost. */
  record CostView(long requests, long inputTokens, long outputTokens) {
    static CostView of(Cost cost) {
      return new CostView(1, cost.inputTokens(), cost.outputTokens());
    }
  }

  /**
   * A waiting ticket.
   *
   * @param position from 1, in the order in which tickets would be released if everything fitted
   * @param key the name of its key
   * @param expectedMs estimated remaining wait
   * @param bound whether it may wait longer, because that depends on events nobody can foresee
   */
  record Waiting(
      long id,
      @Nullable String requestId,
      int position,
      CostView cost,
      @Nullable String key,
      @Nullable String model,
      long waitedMs,
      @Nullable Long expectedMs,
      boolean bound,
      @Nullable String deadline) {}

  /**
   * A ticket that waits, or waited recently.
   *
   * @param state waiting, running, served, refused, expired or cancelled
   * @param upstream the upstream that it was sent to
   * @param refusal why it was not served
   * @param binds what it waits for; for a ticket that has left the queue, what it waited for last
   * @param limits the limits that were examined
   */
  record Explained(
      long id,
      @Nullable String requestId,
      String path,
      String state,
      @Nullable Integer position,
      CostView cost,
      @Nullable String key,
      @Nullable String model,
      String arrivedAt,
      long waitedMs,
      @Nullable Long expectedMs,
      boolean bound,
      @Nullable String deadline,
      @Nullable String upstream,
      @Nullable RefusalView refusal,
      @Nullable BindingView binds,
      List<LimitView> limits) {}

  /** Reason of a refusal. */
  record RefusalView(String reason, int status, String detail, @Nullable Long retryAfterMs) {}

  /**
   * The obstacle that a ticket waits for.
   *
   * @param what the kind of obstacle, as one word
   * @param until when it ends; null if only somebody's action ends it
   * @param detail one sentence for a person
   */
  record BindingView(
      String what,
      @Nullable String kind,
      @Nullable String name,
      @Nullable String measure,
      @Nullable String until,
      String detail) {}

  /**
   * A limit that was examined.
   *
   * @param windowMs the length of its window; null for concurrency limits and for rates
   * @param limit its capacity
   * @param configured the configured capacity while the provider lowers it; else left out
   * @param used the charges that count at present
   * @param usedElsewhere what other instances counted
   * @param reserved the reserved output of running answers
   * @param needs what the ticket needs of it
   * @param given whether the ticket already has that
   * @param admits whether it has room for the ticket
   * @param until when it will have room, if nothing else happens; null if it has, or if only a
   *     release by another request can make room
   */
  record LimitView(
      String kind,
      String name,
      @Nullable String pool,
      String measure,
      @Nullable Long windowMs,
      long limit,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long configured,
      long used,
      long usedElsewhere,
      long reserved,
      long needs,
      boolean given,
      boolean admits,
      @Nullable String until) {}
}
