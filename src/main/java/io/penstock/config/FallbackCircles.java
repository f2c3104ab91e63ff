package io.penstock.config;

import io.penstock.endpoint.EndpointSpec.Fallback;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Finds models whose fallbacks lead back to them, by a depth-first search without recursion. */
final class FallbackCircles {
  private final Map<String, Fallback> fallbacks;
  private final Map<String, Iterator<String>> opened = new HashMap<>();
  private final Deque<String> way = new ArrayDeque<>();
  private final Set<String> reported = new HashSet<>();
  private final List<List<String>> circles = new ArrayList<>();

  private FallbackCircles(Map<String, Fallback> fallbacks) {
    this.fallbacks = fallbacks;
  }

  /**
   * Returns circles, each from a model back to it, so that every model that is on some circle
   * together with others is on one of them, or leads to one.
   */
  static List<List<String>> in(Map<String, Fallback> fallbacks) {
    FallbackCircles search = new FallbackCircles(fallbacks);
    new TreeSet<>(fallbacks.keySet()).forEach(search::from);
    return search.circles;
  }

  private void from(String start) {
    enter(start);
    while (!way.isEmpty()) {
      Iterator<String> next = opened.getOrDefault(way.getLast(), List.<String>of().iterator());
      if (next.hasNext()) {
        follow(next.next());
      } else {
        way.removeLast();
      }
    }
  }

  private void enter(String model) {
    if (!opened.containsKey(model)) {
      Fallback fallback = fallbacks.get(model);
      opened.put(
          model, fallback == null ? List.<String>of().iterator() : fallback.models().iterator());
      way.addLast(model);
    }
  }

  private void follow(String model) {
    if (!way.contains(model)) {
      enter(model);
      return;
    }
    List<String> circle = new ArrayList<>(way);
    circle.subList(0, circle.indexOf(model)).clear();
    if (reported.addAll(circle)) {
      circle.add(model);
      circles.add(circle);
    }
  }
}
