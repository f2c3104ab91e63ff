package io.penstock.park;

import io.penstock.coordination.ClientTurn;
import io.penstock.coordination.ObjectReply;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketOutcome;
import java.util.concurrent.Executor;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Lets requests wait without a thread. */
public final class TicketParking {
  private TicketParking() {}

  /**
   * Returns the outcome of a ticket, emitted on {@code loop}. Cancelling it cancels the ticket,
   * unless {@link ParkedTicket#take} came first: a sink may accept a signal that no subscriber
   * receives.
   *
   * @param loop the event loop of the request, so that no other thread runs its code
   */
  public static Mono<TicketOutcome> await(ParkedTicket parkedTicket, Executor loop) {
    TicketOutcome known = parkedTicket.outcome();
    if (known != null) {
      return Mono.just(known);
    }
    Sinks.One<TicketOutcome> sink = Sinks.unsafe().one();
    parkedTicket.whenDecided(
        ticketOutcome -> loop.execute(() -> sink.tryEmitValue(ticketOutcome).orThrow()));
    return sink.asMono().doOnCancel(() -> parkedTicket.cancel());
  }

  /**
   * Returns the answer to a turn, emitted on {@code loop}. Cancelling it gives up the turn, unless
   * {@link ClientTurn#take} came first.
   *
   * @param loop the event loop of the request
   */
  public static Mono<ObjectReply> await(ClientTurn clientTurn, Executor loop) {
    ObjectReply known = clientTurn.reply();
    if (known != null) {
      return Mono.just(known).doOnCancel(clientTurn::cancel);
    }
    Sinks.One<ObjectReply> sink = Sinks.unsafe().one();
    clientTurn.whenAnswered(
        objectReply -> loop.execute(() -> sink.tryEmitValue(objectReply).orThrow()));
    return sink.asMono().doOnCancel(clientTurn::cancel);
  }
}
