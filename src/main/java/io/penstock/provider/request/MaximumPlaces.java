package io.penstock.provider.request;

import io.penstock.json.JsonWalk;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the places where a body can be made to state a maximum of output: at the start of the
 * object that would contain it, or at the {@code null} that stands in its place. It must see the
 * whole body, with the members that other readers skip.
 */
public final class MaximumPlaces {
  private static final int NULL_LENGTH = 4;
  private static final long NOWHERE = -1;

  private final List<String> containers;
  private final List<List<String>> members;
  private final Map<String, Long> nulls = new HashMap<>();
  private final Start body = new Start();
  private final Start container = new Start();
  private long nullContainerAt = NOWHERE;

  private MaximumPlaces(List<String> containers, List<List<String>> members) {
    this.containers = containers;
    this.members = members;
  }

  /** Returns a finder for members of the body itself, each of which can state the maximum. */
  public static MaximumPlaces ofBody(String... members) {
    List<List<String>> names = new ArrayList<>();
    for (String each : members) {
      names.add(List.of(each));
    }
    return new MaximumPlaces(List.of(), names);
  }

  /**
   * Returns a finder for a member of an object in the body.
   *
   * @param containers the names of the object; the first is used where it is missing
   * @param member the names of the member; the first is used where it is missing
   */
  public static MaximumPlaces within(List<String> containers, List<String> member) {
    return new MaximumPlaces(containers, List.of(member));
  }

  /** Visits the start of the object or array at the current position. */
  void open(JsonWalk at) {
    if (at.depth() == 0) {
      body.begin(at);
      return;
    }
    note(at);
    if (isContainer(at)) {
      container.begin(at);
    }
  }

  /** Visits the scalar at the current position. */
  void scalar(JsonWalk at) {
    note(at);
    if (!at.isNull()) {
      return;
    }
    long start = at.endsAt() - NULL_LENGTH;
    String name = at.name();
    if (isContainer(at)) {
      nullContainerAt = start;
    } else if (name != null && isInContainer(at)) {
      nulls.put(name, start);
    }
  }

  private void note(JsonWalk at) {
    if (at.depth() == 1) {
      body.empty = false;
    } else if (isInContainer(at)) {
      container.empty = false;
    }
  }

  private boolean isContainer(JsonWalk at) {
    return at.depth() == 1 && containers.contains(at.name(1));
  }

  /** Returns whether the position is a member of the object that would contain the maximum. */
  private boolean isInContainer(JsonWalk at) {
    return containers.isEmpty()
        ? at.depth() == 1
        : at.depth() == 2 && containers.contains(at.name(1));
  }

  /** Returns a place for each member that can state the maximum, if the body states none. */
  List<MaximumPlace> found() {
    List<MaximumPlace> places = new ArrayList<>(members.size());
    for (List<String> names : members) {
      places.add(place(names));
    }
    return places;
  }

  private MaximumPlace place(List<String> names) {
    for (String each : names) {
      Long at = nulls.get(each);
      if (at != null) {
        return new MaximumPlace(each, at, NULL_LENGTH, "", "");
      }
    }
    String name = names.getFirst();
    String member = "\"" + name + "\":";
    if (containers.isEmpty()) {
      return new MaximumPlace(name, body.at, 0, member, body.separator());
    }
    if (container.at != NOWHERE) {
      return new MaximumPlace(name, container.at, 0, member, container.separator());
    }
    if (nullContainerAt != NOWHERE) {
      return new MaximumPlace(name, nullContainerAt, NULL_LENGTH, "{" + member, "}");
    }
    String whole = "\"" + containers.getFirst() + "\":{" + member;
    return new MaximumPlace(name, body.at, 0, whole, "}" + body.separator());
  }

  /** The start of an object. */
  private static final class Start {
    private long at = NOWHERE;
    private boolean empty = true;

    void begin(JsonWalk walk) {
      at = walk.endsAt();
      empty = true;
    }

    /** Returns the text between a first member that is added and the next one. */
    String separator() {
      return empty ? "" : ",";
    }
  }
}
