package io.penstock.provider.answer;

import io.penstock.json.JsonWalk;
import java.util.ArrayDeque;
import java.util.Deque;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Copy of the members of an error, which keeps at most {@link #MOST_CHARS} of what it says. */
final class ErrorMembers {
  /** Most characters of names and values that are kept. */
  static final int MOST_CHARS = 2_000;

  /** Most levels that are kept. */
  private static final int MOST_LEVELS = 8;

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final JsonNode root;
  private final Deque<JsonNode> open = new ArrayDeque<>(2);
  private int left = MOST_CHARS;

  /** Levels that are open and not kept. */
  private int passedOver;

  ErrorMembers(boolean array) {
    root = array ? NODES.arrayNode() : NODES.objectNode();
    open.push(root);
  }

  /** Begins an object or array. */
  void open(JsonWalk at, boolean array) {
    if (passedOver > 0 || open.size() >= MOST_LEVELS || left <= 0) {
      passedOver++;
      return;
    }
    JsonNode opened = array ? NODES.arrayNode() : NODES.objectNode();
    add(String.valueOf(at.name()), opened);
    open.push(opened);
  }

  /** Ends an object or array; returns whether it is the error itself. */
  boolean close() {
    if (passedOver > 0) {
      passedOver--;
      return false;
    }
    open.pop();
    return open.isEmpty();
  }

  /** Copies a value under its own name. */
  void scalar(JsonWalk at) {
    if (passedOver == 0) {
      scalar(String.valueOf(at.name()), at);
    }
  }

  /** Copies a value under another name. */
  void scalar(String name, JsonWalk at) {
    if (at.isNull() || left <= 0) {
      return;
    }
    String text = at.isString() || at.isNumber() ? at.beginning(left) : "";
    left -= text.length();
    JsonNode value = at.isBoolean() ? NODES.booleanNode(at.isTrue()) : NODES.stringNode(text);
    add(name, value);
  }

  private void add(String name, JsonNode value) {
    left -= name.length();
    switch (open.peek()) {
      case ObjectNode object -> object.set(name, value);
      case ArrayNode array -> array.add(value);
      case null, default -> {}
    }
  }

  /** Returns the text of a member at the top, or an empty one. */
  String text(String name) {
    return root.path(name).asString("");
  }

  /** Returns the members; of a list those of its first element. */
  JsonNode members() {
    return root.isArray() ? root.path(0) : root;
  }
}
