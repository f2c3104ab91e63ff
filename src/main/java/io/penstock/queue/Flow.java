package io.penstock.queue;

import java.util.ArrayList;
import java.util.List;

/**
 * Requests that share one part of a fair queue, and what they got of it.
 *
 * <p>The service is in tokens divided by weight, since the flow was first known or lifted. A double
 * is exact to a token up to 2⁵³.
 */
final class Flow {
  int weight;
  final List<FairQueue.Share<?>> shares = new ArrayList<>(1);
  private double service;

  /** The ticket with which something of it began to wait, by order of arrival. */
  private long since;

  private int waiting;

  Flow(int weight) {
    this.weight = weight;
  }

  /** Of flows that got the same the one that waits longer comes first: smaller for that one. */
  long since() {
    return since;
  }

  void since(long order) {
    since = order;
  }

  void weigh(int now) {
    weight = now;
  }

  double service() {
    return service;
  }

  void serve(double tokens) {
    service = Math.max(0, service + tokens / weight);
  }

  void lift(double least) {
    service = Math.max(service, least);
  }

  /** Whether none of its requests waits. */
  boolean idle() {
    return waiting == 0;
  }

  /** Whether nothing of it is in any queue. */
  boolean gone() {
    return shares.isEmpty();
  }

  void waits(int more) {
    waiting += more;
  }
}
