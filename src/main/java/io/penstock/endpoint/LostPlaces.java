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
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
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
    Object tenant() {
      return ticket.client().sender();
    }

    boolean fits(TicketRequest.Sender sender, long now) {
      if (now < fromNanos) {
        return false;
      }
      return fingerprint == null
          ? ticket.client().equals(sender.client())
          : fingerprint.equals(sender.fingerprint()) && tenant().equals(sender.tenant());
    }
  }

  @SharedState("places of lost requests")
  private final List<LostPlace> places = new ArrayList<>();

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
    return places.stream()
        .anyMatch(each -> each.fingerprint() != null && each.tenant().equals(tenant));
  }

  /** Remembers the place of a ticket whose client went away, if a repeat can be recognised. */
  void left(ParkedTicket ticket, long now) {
    Long fingerprint = ticket.fingerprint();
    if (fingerprint != null) {
      add(new LostPlace(ticket, fingerprint, now, now + graceNanos.getAsLong()), now);
    }
  }

  /**
   * Remembers the place of a ticket that waited in vain, or the arrival of one whose client was
   * told when to come back.
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
    forget(now);
    PromiseHolder client = lost.ticket().client();
    if (lost.fingerprint() == null) {
      places.removeIf(each -> each.fingerprint() == null && each.ticket().client().equals(client));
    }
    long ofTenant = places.stream().filter(each -> each.tenant().equals(lost.tenant())).count();
    if (places.size() < MOST && ofTenant < MOST_OF_TENANT) {
      places.add(lost);
      empty = false;
    }
  }

  private void forget(long now) {
    places.removeIf(each -> each.untilNanos() < now);
    empty = places.isEmpty();
  }

  /** Returns the ticket whose place a request takes over, or null when there is none. */
  @Nullable ParkedTicket take(TicketRequest request, long now) {
    return empty ? null : takeFirst(request.sender(), now);
  }

  private synchronized @Nullable ParkedTicket takeFirst(TicketRequest.Sender sender, long now) {
    forget(now);
    LostPlace first =
        places.stream()
            .filter(each -> each.fits(sender, now))
            .min(Comparator.comparingLong(each -> each.ticket().order()))
            .orElse(null);
    if (first == null) {
      return null;
    }
    places.remove(first);
    empty = places.isEmpty();
    return first.ticket();
  }
}
