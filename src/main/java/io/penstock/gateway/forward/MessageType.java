package io.penstock.gateway.forward;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** The types of the messages that pass over a WebSocket of OpenAI's Responses API. */
final class MessageType {
  static final String CREATE = "response.create";
  static final String ERROR = "error";

  private static final Set<String> LAST =
      Set.of("response.completed", "response.incomplete", "response.failed", ERROR);

  /** Members that only a call has. */
  private static final Set<String> OF_CALLS =
      Set.of("model", "input", "instructions", "prompt", "conversation", "previous_response_id");

  private static final JsonFactory JSON = new JsonFactory();

  private MessageType() {}

  /** Returns whether an event of that type is the last of a response. */
  static boolean ends(@Nullable String type) {
    return type != null && LAST.contains(type);
  }

  /** Returns the type of the message that begins with those bytes, or null if it has none there. */
  static @Nullable String of(byte[] beginning) {
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), beginning)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return null;
      }
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        boolean type = parser.currentName().equals("type");
        if (parser.nextToken() == JsonToken.VALUE_STRING && type) {
          return parser.getString();
        }
        parser.skipChildren();
      }
      return null;
    } catch (JacksonException cut) {
      return null;
    }
  }

  /**
   * Returns whether a whole message is certainly no call: it has one type, another than that of a
   * call, and no member that only a call has.
   */
  static boolean isOther(byte[] message) {
    String type = null;
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), message)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return false;
      }
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = parser.currentName();
        JsonToken value = parser.nextToken();
        if (OF_CALLS.contains(name)) {
          return false;
        }
        if (name.equals("type")) {
          if (type != null || value != JsonToken.VALUE_STRING) {
            return false;
          }
          type = parser.getString();
        }
        parser.skipChildren();
      }
      return parser.nextToken() == null && type != null && !type.strip().equalsIgnoreCase(CREATE);
    } catch (JacksonException broken) {
      return false;
    }
  }
}
