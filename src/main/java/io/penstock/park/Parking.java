package io.penstock.park;

import io.penstock.coordination.Reply;
import io.penstock.coordination.Turn;
import io.penstock.endpoint.Outcome;
import io.penstock.endpoint.Pending;
import java.util.concurrent.Executor;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Lets requests wait without a thread. */
public final class Parking {
  private Parking() {}

  /**
   * Returns the outcome of a ticket, emitted on {@code loop}. Cancelling it cancels the ticket,
   * unless {@link Pending#take} came first: a sink may accept a signal that no subscriber receives.
   *
   * @param loop the event loop of the request, so that no other thread runs its code
   */
  public static Mono<Outcome> await(Pending pending, Executor loop) {
    Outcome known = pending.outcome();
    if (known != null) {
      return Mono.just(known);
    }
    Sinks.One<Outcome> sink = Sinks.unsafe().one();
    pending.whenDecided(outcome -> loop.execute(() -> sink.tryEmitValue(outcome).orThrow()));
    return sink.asMono().doOnCancel(() -> pending.endpoint().cancel(pending));
  }

  /**
   * Returns the answer to a turn, emitted on {@code loop}. Cancelling it gives up the turn, unless
   * {@link Turn#take} came first.
   *
   * @param loop the event loop of the request
   */
  public static Mono<Reply> await(Turn turn, Executor loop) {
    Reply known = turn.reply();
    if (known != null) {
      return Mono.just(known).doOnCancel(turn::cancel);
    }
    Sinks.One<Reply> sink = Sinks.unsafe().one();
    turn.whenAnswered(reply -> loop.execute(() -> sink.tryEmitValue(reply).orThrow()));
    return sink.asMono().doOnCancel(turn::cancel);
  }
}
