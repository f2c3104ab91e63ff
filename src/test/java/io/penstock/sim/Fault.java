package io.penstock.sim;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.queue.Bounds;
import io.penstock.queue.Order;
import java.util.List;

/** A piece that is broken on purpose, to prove that the oracle sees it. */
enum Fault {
  /** Nothing is broken. */
  NONE,
  /** Limits are a little larger than configured. */
  LARGER_LIMIT,
  /** Now and then an alarm never rings. */
  LOST_ALARM,
  /** Alarms ring a little late. */
  LATE_ALARM,
  /** Now and then a signal is lost. */
  LOST_SIGNAL,
  /** Now and then an answer ends and is not settled. */
  NEVER_SETTLED,
  /** Output is not charged as it is produced. */
  NOT_PRODUCED,
  /** Usage is reported too low. */
  TOO_LITTLE_USED,
  /** Newest first where oldest first was asked for, and the other way round. */
  OTHER_ORDER,
  /** Waiting raises priority far too fast. */
  FAST_AGING,
  /** A queue holds one more than it may. */
  LARGER_QUEUE,
  /** One more than may waits for a place. */
  MORE_BLOCKED,
  /** All requests are of one flow. */
  ONE_FLOW,
  /** Now and then a request that is done does not leave. */
  NEVER_LEFT,
  /** Now and then a request whose attempt failed does not come back. */
  NEVER_BACK,
  /** Attempts that were rejected count nowhere. */
  REJECTED_FOR_NOTHING,
  /** Who comes back does not avoid the upstream that failed. */
  SAME_UPSTREAM,
  /** An upstream is shut, and things go there all the same. */
  SHUT_UNHEEDED,
  /** One that is tried now and then is tried all the time. */
  MANY_TRIALS,
  /** An upstream opens, and nobody who waits is told. */
  OPEN_UNHEARD,
  /** Here it is the oracle that is broken: flows that come back bring what they saved up. */
  NO_LIFT,
  /** So here: an endpoint gives anew for each attempt. */
  OWN_TWICE,
  /** So here: what an endpoint gave is never returned by who comes back and does not go. */
  CARRIED_FOR_EVER,
  /** So here: what a key was charged is never returned by who does not go. */
  CHARGED_FOR_EVER,
  /** So here: the bounds of a queue are for who comes back as well. */
  BOUND_AGAIN;

  /** Returns the configuration the core is given in place of {@code specs}. */
  List<EndpointSpec> broken(List<EndpointSpec> specs) {
    return specs.stream().map(this::broken).toList();
  }

  private EndpointSpec broken(EndpointSpec spec) {
    EndpointSpec.Scheduling order = spec.scheduling();
    EndpointSpec.Waiting waiting = spec.waiting();
    return switch (this) {
      case OTHER_ORDER ->
          Specs.with(spec, Specs.with(order, other(order.order())), waiting, spec.upstreams());
      case FAST_AGING -> {
        EndpointSpec.Scheduling fast =
            new EndpointSpec.Scheduling(order.order(), 1_000, order.maxSkips(), order.fairBy());
        yield Specs.with(spec, fast, waiting, spec.upstreams());
      }
      case LARGER_QUEUE -> {
        Bounds bounds = waiting.bounds();
        Bounds larger = new Bounds(bounds.maxTickets() + 1, bounds.maxTokens(), bounds.maxBytes());
        yield Specs.with(
            spec, order, Specs.with(waiting, larger, waiting.maxBlocked()), spec.upstreams());
      }
      case MORE_BLOCKED ->
          Specs.with(
              spec,
              order,
              Specs.with(waiting, waiting.bounds(), waiting.maxBlocked() + 1),
              spec.upstreams());
      default -> spec;
    };
  }

  private static Order other(Order order) {
    return order == Order.FIFO ? Order.LIFO : Order.FIFO;
  }
}
