package io.penstock.mock;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * Chooses the tool that an answer calls: the one that the request names, or the first that it
 * offers if it insists on any. A tool that is merely offered is called only if the address asks for
 * that: clients run what they are told to. Once a result of a tool is in the conversation, the
 * answer is words.
 */
final class MockTools {
  /**
   * Names of the members of a tool, which differ between providers.
   *
   * @param within the member that holds name and schema, or an empty string for the tool itself
   * @param schemas the members that may hold the schema of the arguments
   */
  record Members(String within, List<String> schemas) {}

  /**
   * Which tool an answer calls.
   *
   * @param calls whether it calls one
   * @param only the name of that tool; empty for the first
   */
  record Choice(boolean calls, String only) {
    /**
     * @param mode what the request says about calls of tools, in its provider's words
     * @param only the name of the tool that the request insists on; empty for none
     * @param offered whether a tool that is merely offered is called
     */
    static Choice of(String mode, String only, boolean offered) {
      boolean calls =
          switch (mode.toLowerCase(Locale.ROOT)) {
            case "none" -> false;
            case "required", "any" -> true;
            default -> offered || !only.isEmpty();
          };
      return new Choice(calls, only);
    }
  }

  private MockTools() {}

  /**
   * Returns a call of a tool, or null.
   *
   * @param tools the tools that are offered
   */
  static @Nullable MockContent call(JsonNode tools, Members members, Choice choice) {
    if (!choice.calls()) {
      return null;
    }
    String only = choice.only();
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
