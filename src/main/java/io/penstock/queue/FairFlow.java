package io.penstock.queue;

import io.penstock.tenant.SharedState;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests that share one part of a fair queue, and the service they got.
 *
 * <p>The service is in tokens divided by weight, since the flow was first known or lifted. A double
 * is exact to a token up to 2⁵³.
 */
final class FairFlow {
  private final long number;
  int weight;

  @SharedState("flows of a fair order")
  final List<FlowShare<?>> shares = new ArrayList<>(1);

  private double service;

  /** The arrival number of the ticket with which this flow began to wait. */
  private long since;

  private int waiting;

  FairFlow(long number, int weight) {
    this.number = number;
    this.weight = weight;
  }

  /** Takes over the weight and the service of a flow of another discipline. */
  void copy(FairFlow other) {
    weight = other.weight;
    service = other.service;
    since = other.since;
  }

  /** Returns the number that no other flow of its discipline has. */
  long number() {
    return number;
  }

  /**
   * Returns since when the flow waits, as an arrival number. Among flows with equal service, the
   * one with the smaller number comes first.
   */
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

  /** Returns whether none of its requests waits. */
  boolean idle() {
    return waiting == 0;
  }

  /** Returns whether none of its tickets is in any queue. */
  boolean gone() {
    return shares.isEmpty();
  }

  void waits(int more) {
    waiting += more;
  }
}
