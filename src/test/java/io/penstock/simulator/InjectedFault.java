package io.penstock.simulator;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import java.util.List;

/** Faults put in on purpose, to prove that the oracle detects them. */
enum InjectedFault {
  /** Nothing is broken. */
  NONE,
  /** Limits are a little larger than configured. */
  LARGER_LIMIT,
  /** Some alarms never ring. */
  LOST_ALARM,
  /** Alarms ring a little late. */
  LATE_ALARM,
  /** Some signals are lost. */
  LOST_SIGNAL,
  /** Some answers end without being settled. */
  NEVER_SETTLED,
  /** Output is not charged as it is produced. */
  NOT_PRODUCED,
  /** Usage is reported too low. */
  TOO_LITTLE_USED,
  /** First in, first out and last in, first out are exchanged. */
  OTHER_ORDER,
  /** Waiting raises priority far too fast. */
  FAST_AGING,
  /** A queue accepts one ticket too many. */
  LARGER_QUEUE,
  /** One ticket too many waits for a place. */
  MORE_BLOCKED,
  /** All requests are of one flow. */
  ONE_FLOW,
  /** Some requests do not leave when they are done. */
  NEVER_LEFT,
  /** Some requests do not come back after a failed attempt. */
  NEVER_BACK,
  /** Rejected attempts do not count anywhere. */
  REJECTED_FOR_NOTHING,
  /** A ticket that comes back does not avoid the upstream that failed. */
  SAME_UPSTREAM,
  /** Requests go to an upstream that is shut. */
  SHUT_UNHEEDED,
  /** An upstream on trial gets all requests, instead of one at a time. */
  MANY_TRIALS,
  /** An upstream opens, and waiting tickets are not woken. */
  OPEN_UNHEARD,
  /** More is left uncharged because of caches than the configuration allows. */
  TOO_MUCH_TRUST,
  /** The beginning of answers is not heard, so that others are held for longer. */
  BEGINNING_UNHEARD,
  /** The input that answers state while they run is not heard. */
  INPUT_UNHEARD,
  /** A fault of the oracle itself: flows that come back keep the service they did not use. */
  NO_LIFT,
  /** A fault of the oracle itself: an endpoint is charged again for each attempt. */
  OWN_TWICE,
  /**
   * A fault of the oracle itself: the endpoint's charge is not given back for a ticket that came
   * back and is not granted.
   */
  CARRIED_FOR_EVER,
  /**
   * A fault of the oracle itself: a key's charge is not given back for a ticket that is not
   * granted.
   */
  CHARGED_FOR_EVER,
  /** A fault of the oracle itself: the bounds of a queue apply to tickets that come back. */
  BOUND_AGAIN,
  /** A fault of the oracle itself: a flow may fill a fair queue. */
  UNSHARED_PLACES;

  /** Returns the configuration that the core gets in place of {@code specs}. */
  List<EndpointSpec> broken(List<EndpointSpec> specs) {
    return specs.stream().map(this::broken).toList();
  }

  private EndpointSpec broken(EndpointSpec spec) {
    EndpointSpec.Scheduling order = spec.scheduling();
    EndpointSpec.Waiting waiting = spec.waiting();
    return switch (this) {
      case OTHER_ORDER ->
          ChangedSpecs.with(
              spec, ChangedSpecs.with(order, other(order.order())), waiting, spec.upstreams());
      case FAST_AGING -> {
        EndpointSpec.Scheduling fast =
            new EndpointSpec.Scheduling(order.order(), 1_000, order.maxSkips(), order.fairBy());
        yield ChangedSpecs.with(spec, fast, waiting, spec.upstreams());
      }
      case LARGER_QUEUE -> {
        QueueBounds queueBounds = waiting.bounds();
        QueueBounds larger =
            new QueueBounds(
                queueBounds.maxTickets() + 1, queueBounds.maxTokens(), queueBounds.maxBytes());
        yield ChangedSpecs.with(
            spec,
            order,
            ChangedSpecs.with(waiting, larger, waiting.maxBlocked()),
            spec.upstreams());
      }
      case MORE_BLOCKED ->
          ChangedSpecs.with(
              spec,
              order,
              ChangedSpecs.with(waiting, waiting.bounds(), waiting.maxBlocked() + 1),
              spec.upstreams());
      case TOO_MUCH_TRUST ->
          ChangedSpecs.with(
              spec,
              order,
              waiting,
              spec.upstreams().stream().map(ChangedSpecs::trustingAll).toList());
      default -> spec;
    };
  }

  private static QueueOrder other(QueueOrder queueOrder) {
    return queueOrder == QueueOrder.FIFO ? QueueOrder.LIFO : QueueOrder.FIFO;
  }
}
