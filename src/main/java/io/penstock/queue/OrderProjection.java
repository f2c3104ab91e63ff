package io.penstock.queue;

import java.util.Comparator;
import java.util.IdentityHashMap;

/**
 * A copy of the order of waiting tickets, in which they go in advance. Taking a turn here changes
 * nothing in the {@link QueueDiscipline} itself. Belongs to one thread.
 *
 * <p>It compares tickets: the one that comes first is the smaller one. A ticket that goes may
 * change the order of others.
 *
 * @param <T> the kind of ticket
 */
public abstract class OrderProjection<T extends Ticket> implements Comparator<T> {
  private OrderProjection() {}

  /** Returns a copy, which goes on without this one. */
  public abstract OrderProjection<T> copy();

  /** Records that a ticket goes. Returns whether that may change the order of others. */
  public abstract boolean charge(T ticket);

  /**
   * Returns whether the flow of a ticket would fall too far behind if {@code released}, which comes
   * later, went first.
   */
  public abstract boolean fallsBehind(T ticket, T released);

  /** Returns whether a ticket comes before another one, and will as long as both wait. */
  public abstract boolean staysBefore(T one, T other);

  /** Returns whether two tickets belong to one flow. */
  public abstract boolean sameFlow(T one, T other);

  /** The order of tickets with a place that does not change. */
  static final class Ranked<T extends Ticket> extends OrderProjection<T> {
    @Override
    public int compare(T one, T other) {
      return one.before(other) ? -1 : other.before(one) ? 1 : 0;
    }

    @Override
    public OrderProjection<T> copy() {
      return this;
    }

    @Override
    public boolean charge(T ticket) {
      return false;
    }

    @Override
    public boolean fallsBehind(T ticket, T released) {
      return false;
    }

    @Override
    public boolean staysBefore(T one, T other) {
      return one.before(other);
    }

    @Override
    public boolean sameFlow(T one, T other) {
      return false;
    }
  }

  /** The order of tickets by what their flows got. */
  static final class Fair<T extends Ticket> extends OrderProjection<T> {
    private static final class Course {
      final long since;
      final int weight;
      double service;

      Course(double service, long since, int weight) {
        this.service = service;
        this.since = since;
        this.weight = weight;
      }
    }

    private static final Course NONE = new Course(0, 0, 1);

    private final IdentityHashMap<FairFlow, Course> courses = new IdentityHashMap<>();
    private long largest;

    Fair(long largest) {
      this.largest = largest;
    }

    void add(FairFlow fairFlow, double service, long since) {
      courses.putIfAbsent(fairFlow, new Course(service, since, fairFlow.weight));
    }

    @Override
    public OrderProjection<T> copy() {
      Fair<T> copy = new Fair<>(largest);
      courses.forEach(
          (flow, course) ->
              copy.courses.put(flow, new Course(course.service, course.since, course.weight)));
      return copy;
    }

    private Course course(Ticket ticket) {
      FairFlow fairFlow = ticket.flow;
      return fairFlow == null ? NONE : courses.getOrDefault(fairFlow, NONE);
    }

    @Override
    public int compare(T one, T other) {
      Course first = course(one);
      Course second = course(other);
      if (first == second) {
        return Long.compare(one.order(), other.order());
      }
      int by = Double.compare(first.service, second.service);
      return by == 0 ? Long.compare(first.since, second.since) : by;
    }

    @Override
    public boolean charge(T ticket) {
      Course course = course(ticket);
      course.service = Math.max(0, course.service + (double) ticket.tokens() / course.weight);
      largest = Math.max(largest, ticket.tokens());
      return true;
    }

    @Override
    public boolean fallsBehind(T ticket, T released) {
      Course going = course(released);
      Course behind = course(ticket);
      return behind != going
          && behind.service
              < FairDiscipline.tooFarBehind(released, going.service, going.weight, largest);
    }

    @Override
    public boolean staysBefore(T one, T other) {
      return course(one) == course(other) && one.order() < other.order();
    }

    @Override
    public boolean sameFlow(T one, T other) {
      return course(one) == course(other);
    }
  }
}
