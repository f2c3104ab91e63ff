package io.penstock.operator;

import io.penstock.cost.Cost;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tickets as operators see them. Instants are RFC 3339; what is not known, or not so, is null. */
final class TicketView {
  private TicketView() {}

  /** What it is expected to use. */
  record CostView(long requests, long inputTokens, long outputTokens) {
    static CostView of(Cost cost) {
      return new CostView(1, cost.inputTokens(), cost.outputTokens());
    }
  }

  /**
   * One that waits.
   *
   * @param position from 1, in the order in which they would go if everything fitted
   * @param key the name of its key
   * @param expectedMs how much longer it will wait, roughly
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
      @Nullable String deadline) {}

  /**
   * One that waits, or did lately.
   *
   * @param state waiting, running, served, refused, expired or cancelled
   * @param upstream where it went
   * @param refusal why it was not served
   * @param binds what holds it; of one that went, what held it last
   * @param limits those that were looked at
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
      @Nullable String deadline,
      @Nullable String upstream,
      @Nullable RefusalView refusal,
      @Nullable BindingView binds,
      List<LimitView> limits) {}

  /** Why it was refused. */
  record RefusalView(String reason, int status, String detail, @Nullable Long retryAfterMs) {}

  /**
   * What holds it.
   *
   * @param what in one word
   * @param until when it ends; null when only what somebody does ends it
   * @param detail in one sentence, for a person
   */
  record BindingView(
      String what,
      @Nullable String kind,
      @Nullable String name,
      @Nullable String measure,
      @Nullable String until,
      String detail) {}

  /**
   * One limit that was looked at.
   *
   * @param windowMs the length of its window; null of what runs at once, and of rates
   * @param limit the most it admits
   * @param used what was charged and counts
   * @param usedElsewhere what other instances counted
   * @param reserved what is kept free for answers that run
   * @param needs what the ticket asks of it
   * @param given whether the ticket has that already
   * @param admits whether it has room for it
   * @param until when it has, if nothing else happens; null when it has, and when only what
   *     somebody gives back helps
   */
  record LimitView(
      String kind,
      String name,
      @Nullable String pool,
      String measure,
      @Nullable Long windowMs,
      long limit,
      long used,
      long usedElsewhere,
      long reserved,
      long needs,
      boolean given,
      boolean admits,
      @Nullable String until) {}
}
