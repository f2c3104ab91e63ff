package io.penstock.endpoint;

import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketRequest;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.tenant.PromiseHolder;
import io.penstock.tenant.SharedState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Places in the queue of one endpoint that their requests have left, and that a repeat may take
 * over: clients give up a silent connection and send the same request again.
 *
 * <p>A place is the number of an arrival, its age, and how often others passed it. Nothing is kept
 * free for it. Safe from any thread.
 */
final class LostPlaces {
  /** How many places are remembered. */
  static final int MOST = 1_000;

  /** How many of those are places of one tenant. */
  static final int MOST_OF_TENANT = 100;

  /**
   * How long after the time that a refused client was told it goes before those that came later.
   */
  static final long RETURN_NANOS = 2_000_000_000L;

  /** Refusals that tell when the queue will have room. */
  private static final Set<RefusalReason> TOLD =
      EnumSet.of(
          RefusalReason.QUEUE_FULL,
          RefusalReason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT,
          RefusalReason.QUEUE_TIMEOUT);

  /**
   * A place that a repeat may take over.
   *
   * @param ticket the ticket that has left it
   * @param fingerprint that of the request that may take it over; null for any of the client's
   */
  private record LostPlace(
      ParkedTicket ticket, @Nullable Long fingerprint, long fromNanos, long untilNanos) {
    boolean isOver(long now) {
      return untilNanos < now;
    }

    boolean isToldTo(PromiseHolder client) {
      return fingerprint == null && ticket.client().equals(client);
    }

    /** Returns whether a request of the tenant takes it over. */
    boolean fits(TicketRequest.Sender sender, long now) {
      boolean its =
          fingerprint == null
              ? isToldTo(sender.client())
              : fingerprint.equals(sender.fingerprint());
      return its && now >= fromNanos;
    }
  }

  /** The places by their tenants. */
  @SharedState("places of lost requests")
  private final Map<Object, List<LostPlace>> byTenant = new HashMap<>();

  private int places;
  private final LongSupplier graceNanos;
  private volatile boolean empty = true;

  /**
   * Creates an empty record.
   *
   * @param graceNanos how long a place is remembered that its request has left
   */
  LostPlaces(LongSupplier graceNanos) {
    this.graceNanos = graceNanos;
  }

  /** Returns whether a request of a tenant may be a repeat that takes over a place. */
  boolean any(Object tenant) {
    return !empty && anyOf(tenant);
  }

  private synchronized boolean anyOf(Object tenant) {
    return byTenant.getOrDefault(tenant, List.of()).stream()
        .anyMatch(each -> each.fingerprint() != null);
  }

  /** Remembers the place of a ticket whose client went away, if a repeat can be recognised. */
  void left(ParkedTicket ticket, long now) {
    Long fingerprint = ticket.fingerprint();
    if (fingerprint != null) {
      add(new LostPlace(ticket, fingerprint, now, now + graceNanos.getAsLong()), now);
    }
  }

  /**
   * Remembers the place of a ticket that waited in vain. If the client was told when to come back,
   * it remembers the arrival instead.
   */
  void refused(ParkedTicket ticket, Refusal refusal, long now) {
    if (refusal.reason() == RefusalReason.QUEUE_TIMEOUT && ticket.fingerprint() != null) {
      left(ticket, now);
    } else if (TOLD.contains(refusal.reason()) && refusal.retryAfterNanos() != Refusal.UNKNOWN) {
      long from = now + refusal.retryAfterNanos();
      add(new LostPlace(ticket, null, from, from + RETURN_NANOS), now);
    }
  }

  private synchronized void add(LostPlace lost, long now) {
    PromiseHolder client = lost.ticket().client();
    if (places == MOST) {
      List.copyOf(byTenant.keySet()).forEach(tenant -> forget(tenant, each -> each.isOver(now)));
    }
    boolean told = lost.fingerprint() == null;
    forget(client.sender(), each -> each.isOver(now) || (told && each.isToldTo(client)));
    List<LostPlace> ofTenant = byTenant.getOrDefault(client.sender(), List.of());
    if (places < MOST && ofTenant.size() < MOST_OF_TENANT) {
      byTenant.computeIfAbsent(client.sender(), absent -> new ArrayList<>()).add(lost);
      places++;
      empty = false;
    }
  }

  /** Forgets some places of a tenant; the caller synchronizes. */
  private void forget(Object tenant, Predicate<LostPlace> some) {
    List<LostPlace> ofTenant = byTenant.get(tenant);
    if (ofTenant != null) {
      places -= ofTenant.size();
      ofTenant.removeIf(some);
      places += ofTenant.size();
      if (ofTenant.isEmpty()) {
        byTenant.remove(tenant);
      }
      empty = places == 0;
    }
  }

  /** Returns the ticket whose place a request takes over, or null when there is none. */
  @Nullable ParkedTicket take(TicketRequest request, long now) {
    return empty ? null : takeFirst(request.sender(), now);
  }

  private synchronized @Nullable ParkedTicket takeFirst(TicketRequest.Sender sender, long now) {
    forget(sender.tenant(), each -> each.isOver(now));
    LostPlace first =
        byTenant.getOrDefault(sender.tenant(), List.of()).stream()
            .filter(each -> each.fits(sender, now))
            .min(Comparator.comparingLong(each -> each.ticket().order()))
            .orElse(null);
    if (first == null) {
      return null;
    }
    forget(sender.tenant(), first::equals);
    return first.ticket();
  }
}
