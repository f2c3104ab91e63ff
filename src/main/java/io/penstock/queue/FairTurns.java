package io.penstock.queue;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The order in which tickets of several flows would go if everything fitted and no other ticket
 * came.
 *
 * @param <T> the kind of ticket
 */
final class FairTurns<T extends Ticket> {
  /** The tickets of one flow, and the service it will have at its next turn. */
  private static final class Course<T extends Ticket> {
    final FairFlow flow;
    final MergedTreaps<T> tickets = new MergedTreaps<>();
    double service;

    Course(FairFlow fairFlow) {
      this.flow = fairFlow;
      this.service = fairFlow.service();
    }
  }

  private record Turn<T extends Ticket>(T ticket, double service, Course<T> course) {}

  private final Queue<Turn<T>> turns =
      new PriorityQueue<>(
          Comparator.<Turn<T>>comparingDouble(Turn::service)
              .thenComparingLong(turn -> turn.course().flow.since()));

  FairTurns(Iterable<FairQueue<T>> queues) {
    Map<FairFlow, Course<T>> courses = new HashMap<>();
    for (FairQueue<T> queue : queues) {
      TreapWalk<FlowShare<T>> shares = queue.walk();
      for (FlowShare<T> each = shares.next(); each != null; each = shares.next()) {
        courses.computeIfAbsent(each.flow, Course::new).tickets.add(each.tickets);
      }
    }
    courses.values().forEach(this::line);
  }

  private void line(Course<T> course) {
    T ticket = course.tickets.next();
    if (ticket != null) {
      turns.add(new Turn<>(ticket, course.service, course));
    }
  }

  /** Returns the next ticket; null at the end. */
  @Nullable T next() {
    Turn<T> turn = turns.poll();
    if (turn == null) {
      return null;
    }
    Course<T> course = turn.course();
    course.service += (double) turn.ticket().tokens() / course.flow.weight;
    line(course);
    return turn.ticket();
  }
}
