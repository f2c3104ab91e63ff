package io.penstock.mock;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * Chooses the tool that an answer calls: the one that the request insists on, or else the first
 * that it offers. Once a result of a tool is in the conversation, the answer is words.
 */
final class MockTools {
  /**
   * Names of the members of a tool, which differ between providers.
   *
   * @param within the member that holds name and schema, or an empty string for the tool itself
   * @param schemas the members that may hold the schema of the arguments
   */
  record Members(String within, List<String> schemas) {}

  private MockTools() {}

  /**
   * Returns a call of a tool, or null.
   *
   * @param tools the tools that are offered
   * @param only the name of the tool that the request insists on; empty for none
   */
  static @Nullable MockContent call(JsonNode tools, Members members, String only) {
    for (JsonNode offered : tools) {
      JsonNode tool = members.within().isEmpty() ? offered : offered.path(members.within());
      String name = tool.path("name").stringValue("");
      boolean builtIn = !offered.path("type").stringValue("function").matches("function|custom");
      if (!name.isEmpty() && !builtIn && (only.isEmpty() || only.equals(name))) {
        return MockContent.call(name, schema(tool, members));
      }
    }
    return null;
  }

  private static JsonNode schema(JsonNode tool, Members members) {
    for (String name : members.schemas()) {
      if (tool.has(name)) {
        return tool.path(name);
      }
    }
    return MissingNode.getInstance();
  }

  /** Returns whether any of the messages is, or has a part with, the member at the value. */
  static boolean any(JsonNode messages, String parts, String member, @Nullable String value) {
    for (JsonNode message : messages) {
      if (matches(message, member, value)) {
        return true;
      }
      for (JsonNode part : message.path(parts)) {
        if (matches(part, member, value)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean matches(JsonNode node, String member, @Nullable String value) {
    JsonNode found = node.path(member);
    return value == null ? !found.isMissingNode() : found.stringValue("").equals(value);
  }
}
