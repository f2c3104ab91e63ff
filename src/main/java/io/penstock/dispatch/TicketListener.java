package io.penstock.dispatch;

import io.penstock.event.Event;
import io.penstock.refusal.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * The endpoint of a ticket, as far as the ticket and its settlement report to it. Safe from any
 * thread.
 */
public interface TicketListener {
  /** Returns the path of the endpoint. */
  String path();

  /**
   * Called when nobody will take the outcome of a ticket: its client went away. If there is no
   * outcome yet and the ticket is granted nevertheless, it is called again.
   */
  void unwanted(ParkedTicket ticket);

  /** Called to refuse a ticket that still waits. */
  void refuse(ParkedTicket ticket, Refusal refusal);

  /**
   * Called when a granted ticket was settled.
   *
   * @param refusal the reason why it was not served, or null
   */
  void settled(ParkedTicket ticket, TicketFate fate, @Nullable Refusal refusal, long now);

  /**
   * Called once for each request, when nothing more will be charged for it.
   *
   * @param model the model that was asked for last: the client's, or that of a fallback; or null
   */
  void used(ParkedTicket ticket, @Nullable String model, KeptUsage kept);

  /** Called with the tokens that a granted ticket really used. */
  void usageKnown(ParkedTicket ticket, long tokens);

  /** Called when the request of a granted ticket waits again, as {@code next}. */
  void requeued(ParkedTicket ticket, ParkedTicket next);

  /**
   * Called when it became known how much of some prompts a cache has: waiting tickets are to be
   * expected anew.
   *
   * @param cacheNews tells which
   */
  void cacheLearned(CacheNews cacheNews);

  /** Publishes an event about a ticket. */
  void publish(Event event);
}
