package io.penstock.endpoint;

import io.penstock.cost.Cost;
import io.penstock.dispatch.DispatchListener;
import io.penstock.dispatch.KeptUsage;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.ShadowTicket;
import io.penstock.dispatch.TicketCharges;
import io.penstock.dispatch.TicketFate;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.TicketRequest;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.dispatch.WaitRecorder;
import io.penstock.event.Event;
import io.penstock.explain.PastTicket;
import io.penstock.explain.RecentOutcomes;
import io.penstock.explain.WaitExplainer;
import io.penstock.explain.WaitNote;
import io.penstock.pool.Upstream;
import io.penstock.queue.Ticket.State;
import io.penstock.quota.CallerAccount;
import io.penstock.refusal.Refusal;
import io.penstock.tenant.SharedState;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records the outcome of each ticket in the totals of its endpoint, once, and publishes it as an
 * event. Decisions of the dispatcher are kept until they are delivered after the step; everything
 * else is safe from any thread.
 *
 * <p>Outcomes of a {@link ShadowTicket} are published, but count in no totals.
 */
final class TicketAccounting implements DispatchListener {
  /** A decision to be delivered. */
  private record Decision(ParkedTicket ticket, TicketOutcome outcome) {}

  private final String path;
  private final EndpointServices services;
  private final InFlight inFlight;
  private final EndpointTotals endpointTotals = new EndpointTotals();
  private final RecentOutcomes recentOutcomes;
  private final LostPlaces lostPlaces;

  @SharedState("waiting tickets")
  private final Queue<Decision> decided = new ArrayDeque<>();

  TicketAccounting(
      String path, EndpointServices services, InFlight inFlight, LostPlaces lostPlaces) {
    this.path = path;
    this.services = services;
    this.inFlight = inFlight;
    this.lostPlaces = lostPlaces;
    this.recentOutcomes = new RecentOutcomes(services.directory().records());
  }

  /** Returns the records of recent outcomes. */
  RecentOutcomes recentOutcomes() {
    return recentOutcomes;
  }

  private void remember(ParkedTicket parkedTicket, PastTicket pastTicket) {
    if (!WaitNote.unrecorded(parkedTicket)) {
      recentOutcomes.add(pastTicket);
    }
    keep(pastTicket);
  }

  private void keep(PastTicket pastTicket) {
    if (pastTicket.refusal() != null) {
      services.directory().refusals().add(pastTicket);
    }
  }

  EndpointTotals totals() {
    return endpointTotals;
  }

  /**
   * Delivers the decisions that were not delivered yet. A receiver that fails does not keep others
   * from theirs.
   *
   * @param faults gets, for each failure, an action that throws it
   */
  void deliver(Consumer<Runnable> faults) {
    for (Decision each = decided.poll(); each != null; each = decided.poll()) {
      try {
        each.ticket().deliver(each.outcome());
      } catch (RuntimeException | Error fault) {
        faults.accept(
            () -> {
              throw fault;
            });
      }
    }
  }

  void publish(Event event) {
    services.events().publish(event);
  }

  /** Counts the arrival of a ticket, which is in flight until it is settled. */
  void arrived(TicketRequest ticketRequest) {
    inFlight.bring();
    endpointTotals.requestBegins();
    enter(ticketRequest.sender().account());
    endpointTotals.add(TicketFate.OFFERED, ticketRequest.cost(), ticketRequest.bytes());
    endpointTotals.add(TicketFate.WAITING, ticketRequest.cost(), ticketRequest.bytes());
  }

  /** Refuses a ticket that no other thread has seen. */
  void turnAway(ParkedTicket parkedTicket, Refusal refusal) {
    parkedTicket.decide(State.REFUSED);
    enterRefused(parkedTicket, refusal);
    parkedTicket.deliver(new TicketOutcome.Refused(refusal));
  }

  /** Refuses a ticket that its caller's account denied at arrival. */
  void denied(ParkedTicket parkedTicket, Refusal refusal, long now) {
    if (parkedTicket.shadow() == null) {
      WaitNote.explain(parkedTicket, WaitExplainer.denied(parkedTicket, now));
      turnAway(parkedTicket, refusal);
    } else {
      refuse(parkedTicket, refusal);
    }
  }

  /** Refuses a ticket, unless something else decided it first. For the owner of the queue. */
  void refuse(ParkedTicket parkedTicket, Refusal refusal) {
    if (parkedTicket.decide(State.REFUSED)) {
      refused(parkedTicket, refusal);
    }
  }

  /**
   * Counts and publishes the refusal of a request that never became a ticket.
   *
   * @param origin the sender, or null when no record of the request is to be kept
   */
  void turnedAway(TicketRequest.@Nullable Origin origin, Cost cost, long bytes, Refusal refusal) {
    endpointTotals.add(TicketFate.OFFERED, cost, bytes);
    endpointTotals.add(TicketFate.REFUSED, cost, bytes);
    long now = now();
    long number = services.arrivals().getAndIncrement();
    if (origin != null) {
      PastTicket past = PastTicket.turnedAway(number, origin, path, cost, refusal, now);
      recentOutcomes.add(past);
      keep(past);
    }
    publish(new Event.Refused(now, path, number, refusal));
  }

  /** Counts a request that never became a ticket, because its client went away. */
  void countCancelled(Cost cost, long bytes) {
    endpointTotals.add(TicketFate.OFFERED, cost, bytes);
    endpointTotals.add(TicketFate.CANCELLED, cost, bytes);
    publish(new Event.Cancelled(now(), path, services.arrivals().getAndIncrement()));
  }

  /** Counts a waiting ticket as cancelled by its client. */
  void cancelled(ParkedTicket parkedTicket) {
    if (parkedTicket.shadow() != null) {
      withdrawn(parkedTicket);
      return;
    }
    // First, so that a repeat finds the place even before the queue has noticed the loss.
    lostPlaces.left(parkedTicket, now());
    ended(parkedTicket, TicketFate.WAITING, TicketFate.CANCELLED);
    publishEnd(parkedTicket, TicketFate.CANCELLED, null, now());
  }

  /**
   * Counts the settlement of a granted ticket.
   *
   * @param refusal the reason why it was not served, or null
   */
  void settled(ParkedTicket parkedTicket, TicketFate fate, @Nullable Refusal refusal, long now) {
    ended(parkedTicket, TicketFate.RUNNING, fate);
    PastTicket pastTicket = WaitNote.past(parkedTicket);
    if (pastTicket != null) {
      pastTicket.ended(fate, refusal);
      keep(pastTicket);
    } else if (refusal != null) {
      remember(parkedTicket, PastTicket.of(parkedTicket, fate, refusal, now));
    }
    publishEnd(parkedTicket, fate, refusal, now);
  }

  private void publishEnd(
      ParkedTicket parkedTicket, TicketFate fate, @Nullable Refusal refusal, long now) {
    long number = parkedTicket.order();
    if (refusal == null) {
      publish(
          fate == TicketFate.SERVED
              ? new Event.Served(now, path, number)
              : new Event.Cancelled(now, path, number));
    } else {
      publish(
          fate == TicketFate.EXPIRED
              ? new Event.Expired(now, path, number, refusal)
              : new Event.Refused(now, path, number, refusal));
    }
  }

  @Override
  public void clientLeft(ParkedTicket parkedTicket, long now) {
    if (parkedTicket.shadow() == null && WaitRecorder.isLong(parkedTicket, now)) {
      remember(parkedTicket, PastTicket.of(parkedTicket, TicketFate.CANCELLED, null, now));
    }
  }

  /** Counts a granted ticket that comes back as waiting again. */
  void returned(ParkedTicket parkedTicket) {
    endpointTotals.move(
        TicketFate.RUNNING, TicketFate.WAITING, parkedTicket.cost(), parkedTicket.bytes());
  }

  private void ended(ParkedTicket parkedTicket, TicketFate from, TicketFate to) {
    if (from == TicketFate.WAITING) {
      returnTaken(parkedTicket);
      services.directory().remove(parkedTicket);
    }
    endpointTotals.move(from, to, parkedTicket.cost(), parkedTicket.bytes());
    leave(parkedTicket);
  }

  /** Counts a shadow in flight, brought by a request that is. */
  void brought(ParkedTicket shadow) {
    inFlight.bring();
    enter(shadow.account());
  }

  /** Ends a shadow that no longer waits and was not granted. */
  private void withdrawn(ParkedTicket shadow) {
    returnTaken(shadow);
    leave(shadow);
  }

  /** Gives back everything taken for a ticket that waited and will not go. */
  private void returnTaken(ParkedTicket parkedTicket) {
    TicketCharges taken = parkedTicket.leave();
    if (taken != null) {
      used(parkedTicket, parkedTicket.model(), taken.end(parkedTicket.cost(), now()));
    }
  }

  /**
   * Counts what stays charged for a request in the ledger, which thereby agrees with the limits.
   */
  void used(ParkedTicket parkedTicket, @Nullable String model, KeptUsage kept) {
    if (kept.requests() > 0) {
      TicketRequest.Origin from = parkedTicket.origin();
      services.ledger().add(from.key(), from.group(), model, kept.used());
    }
  }

  private static void enter(@Nullable CallerAccount callerAccount) {
    if (callerAccount != null) {
      callerAccount.enter();
    }
  }

  /** Counts a ticket out of the requests in flight: nothing is taken for it any more. */
  private void leave(ParkedTicket parkedTicket) {
    inFlight.leave(now());
    CallerAccount callerAccount = parkedTicket.account();
    if (callerAccount != null) {
      callerAccount.leave();
    }
  }

  private long now() {
    return services.ticker().nanos();
  }

  @Override
  public void granted(ParkedTicket parkedTicket, TicketSettlement ticketSettlement) {
    ShadowTicket shadowTicket = parkedTicket.shadow();
    if (shadowTicket == null) {
      // First in the list of deliveries: an event listener that throws must not prevent it.
      decided.add(new Decision(parkedTicket, new TicketOutcome.Granted(ticketSettlement)));
      enterGranted(parkedTicket, ticketSettlement);
      return;
    }
    long at = parkedTicket.arrivedNanos() + ticketSettlement.waitedNanos();
    inFlight.leave(at);
    shadowTicket.granted(ticketSettlement, at);
    shadowed(parkedTicket, null, at);
  }

  @Override
  public void refused(ParkedTicket parkedTicket, Refusal refusal) {
    if (parkedTicket.shadow() != null) {
      withdrawn(parkedTicket);
      shadowed(parkedTicket, refusal, now());
      return;
    }
    decided.add(new Decision(parkedTicket, new TicketOutcome.Refused(refusal)));
    enterRefused(parkedTicket, refusal);
    lostPlaces.refused(parkedTicket, refusal, now());
  }

  /** Records a granted ticket; the caller delivers the outcome. */
  void enterGranted(ParkedTicket parkedTicket, TicketSettlement ticketSettlement) {
    long at = parkedTicket.arrivedNanos() + ticketSettlement.waitedNanos();
    Upstream upstream = ticketSettlement.upstream();
    String to = upstream == null ? null : upstream.spec().id();
    if (WaitRecorder.isLong(parkedTicket, at) || WaitNote.binding(parkedTicket) != null) {
      PastTicket pastTicket =
          PastTicket.released(
              parkedTicket, withFallback(to, parkedTicket, ticketSettlement.model()), at);
      WaitNote.past(parkedTicket, pastTicket);
      remember(parkedTicket, pastTicket);
    }
    services.directory().remove(parkedTicket);
    endpointTotals.move(
        TicketFate.WAITING, TicketFate.RUNNING, parkedTicket.cost(), parkedTicket.bytes());
    publish(
        new Event.Released(
            at,
            path,
            parkedTicket.order(),
            to,
            parkedTicket.model(),
            parkedTicket.cost(),
            ticketSettlement.waitedNanos()));
  }

  /** Returns the upstream's id, followed by the model where that is a fallback. */
  private static @Nullable String withFallback(
      @Nullable String upstream, ParkedTicket parkedTicket, @Nullable String model) {
    boolean fallback = model != null && !model.equals(parkedTicket.model());
    return upstream != null && fallback ? upstream + "/" + model : upstream;
  }

  /** Records a refused or expired ticket; the caller delivers the outcome. */
  private void enterRefused(ParkedTicket parkedTicket, Refusal refusal) {
    TicketFate fate =
        parkedTicket.state() == State.EXPIRED ? TicketFate.EXPIRED : TicketFate.REFUSED;
    long now = now();
    remember(parkedTicket, PastTicket.of(parkedTicket, fate, refusal, now));
    ended(parkedTicket, TicketFate.WAITING, fate);
    publishEnd(parkedTicket, fate, refusal, now);
  }

  private void shadowed(ParkedTicket shadow, @Nullable Refusal refusal, long at) {
    long waited = at - shadow.arrivedNanos();
    publish(new Event.Shadowed(at, path, shadow.order(), waited, refusal));
  }
}
