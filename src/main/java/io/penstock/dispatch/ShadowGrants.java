package io.penstock.dispatch;

import org.jspecify.annotations.Nullable;

/** Further attempts of requests in shadow mode, which are granted at once. Safe from any thread. */
public interface ShadowGrants {
  /** Returns the route of a request that is to be tried again; null when none is open. */
  @Nullable TicketRoute retryRoute(ParkedTicket next, long now);

  /** Grants another attempt of a request on the route that {@link #retryRoute} returned. */
  void release(
      ParkedTicket before, ParkedTicket next, TicketRoute route, ShadowTicket shadow, long now);
}
