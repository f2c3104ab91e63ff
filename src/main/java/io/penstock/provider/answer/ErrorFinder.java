package io.penstock.provider.answer;

import io.penstock.json.JsonWalk;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Finds the error that an answer states although its status says that all is well. It knows the
 * places of all dialects, because compatible servers use those of each other; the page about
 * upstreams lists them. Ordinary values cost a comparison of their level and their name.
 */
final class ErrorFinder {
  /** Members of answers that are no errors. */
  private static final Set<String> ORDINARY =
      Set.of(
          "choices",
          "output",
          "content",
          "candidates",
          "message",
          "delta",
          "data",
          "response",
          "item",
          "usage",
          "result",
          "embeddings");

  /** Longest name of a kind, and longest code. */
  private static final int NAME_CHARS = 128;

  private static final String MESSAGE = "message";
  private static final String CODE = "code";

  /** A place of the object that describes an error. */
  private enum Place {
    /** An object that is there only if there is an error. */
    ERROR,
    /** A list that is empty without an error. */
    ERRORS,
    /** The object in which MiniMax states the status of each answer. */
    STATUS
  }

  private @Nullable AnswerError error;

  /** The error that is being read, and its place; null outside of one. */
  private @Nullable ErrorMembers members;

  private Place place = Place.ERROR;

  // signs at the top of the present document
  private @Nullable ErrorMembers top;
  private @Nullable JsonNode listed;
  private @Nullable String finish;
  private boolean says;
  private boolean fails;
  private boolean ordinary;

  /** Whether the present event is called an error. */
  private boolean named;

  /** Whether more came than the signs of an answer that begins. */
  private boolean begun;

  /** Returns the first error, or null. */
  @Nullable AnswerError error() {
    return error;
  }

  /** Returns whether an error has begun and is not complete. */
  boolean inError() {
    return members != null || ((says || named) && error == null);
  }

  boolean hasBegun() {
    return begun;
  }

  /** Begins a document. */
  void begin() {
    endUnfinished();
    if (says) {
      end();
    }
    top = null;
    listed = null;
    finish = null;
    says = false;
    fails = false;
    ordinary = false;
  }

  /** Notes that the event that begins is called an error. */
  void named() {
    named = true;
  }

  /** Ends an event; one that is called an error is one, whatever it holds. */
  void endEvent() {
    if (named) {
      endUnfinished();
      end();
      found(ErrorStatus.UNKNOWN, JsonNodeFactory.instance.objectNode());
      named = false;
    }
  }

  /** Begins an object or array outside of the usage; returns whether it is of an error. */
  boolean open(JsonWalk at, boolean array) {
    ErrorMembers reading = members;
    if (reading != null) {
      reading.open(at, array);
      return true;
    }
    Place begins = place(at, array);
    if (begins == null) {
      return false;
    }
    place = begins;
    members = new ErrorMembers(array);
    return true;
  }

  private @Nullable Place place(JsonWalk at, boolean array) {
    String name = at.name();
    if (name == null) {
      return null;
    }
    return switch (at.depth()) {
      case 1 -> atTop(name, array);
      case 2, 3 -> isNested(at, name) ? Place.ERROR : null;
      default -> null;
    };
  }

  private @Nullable Place atTop(String name, boolean array) {
    ordinary |= ORDINARY.contains(name);
    return switch (name) {
      case "error" -> Place.ERROR;
      case "errors" -> array ? Place.ERRORS : null;
      case "base_resp" -> array ? null : Place.STATUS;
      default -> null;
    };
  }

  /** Returns whether the walk is at the error of a response, or of a choice. */
  private static boolean isNested(JsonWalk at, String name) {
    if (!name.equals("error")) {
      return false;
    }
    String first = String.valueOf(at.name(1));
    return at.depth() == 2
        ? switch (first) {
          case "response", "x_groq", "result", "delta" -> true;
          default -> false;
        }
        : first.equals("choices") && at.name(2) == null;
  }

  /** Ends an object or array; returns whether it was of an error. */
  boolean close(JsonWalk at) {
    ErrorMembers reading = members;
    if (reading == null) {
      if (at.depth() == 0) {
        end();
      }
      return false;
    }
    if (reading.close()) {
      ends(reading);
    }
    return true;
  }

  /** Returns whether the beginning of a long text matters. */
  boolean keeps(JsonWalk at) {
    return members != null || (at.depth() == 1 && says(at.name()));
  }

  private static boolean says(@Nullable String name) {
    return MESSAGE.equals(name) || "error".equals(name);
  }

  /** Reads a value outside of the usage; returns whether it is of an error. */
  boolean scalar(JsonWalk at) {
    ErrorMembers reading = members;
    if (reading != null) {
      reading.scalar(at);
      return true;
    }
    String name = at.name();
    if (name == null || at.depth() > 3) {
      return false;
    }
    if (at.depth() == 1) {
      top(at, name);
    } else if (name.equals("finish_reason")) {
      finish(at);
    } else if (at.isString() && isNested(at, name)) {
      says(at);
    } else if (name.equals("status") && "response".equals(at.name(1))) {
      fails |= is(at, "failed");
    }
    return false;
  }

  private void says(JsonWalk at) {
    if (!at.isAtMost(0)) {
      says = true;
      top().scalar(MESSAGE, at);
    }
  }

  private ErrorMembers top() {
    ErrorMembers known = top;
    if (known == null) {
      known = new ErrorMembers(false);
      top = known;
    }
    return known;
  }

  /** Reads a value at the top. */
  private void top(JsonWalk at, String name) {
    switch (name) {
      case "error" -> {
        if (at.isString()) {
          says(at);
        } else {
          says |= at.isBoolean() && at.isTrue();
        }
      }
      case "type" -> type(at);
      case "object" -> says |= is(at, "error");
      case "status" -> fails |= is(at, "failed");
      case "success" -> fails |= at.isBoolean() && !at.isTrue();
      case "finish_reason" -> finish(at);
      case CODE, "error_code" -> {
        if ((at.isNumber() || at.isString()) && at.isAtMost(NAME_CHARS)) {
          top().scalar(CODE, at);
        }
      }
      case MESSAGE, "msg", "error_msg", "detail" -> {
        if (at.isString()) {
          top().scalar(MESSAGE, at);
        }
      }
      case "error_type", "param" -> {
        if (says && at.isString() && at.isAtMost(NAME_CHARS)) {
          top().scalar(name.equals("param") ? name : "type", at);
        }
      }
      default -> {}
    }
  }

  private void type(JsonWalk at) {
    boolean known = begun && top == null && !mayBeError(at.length());
    if (known || !at.isString() || !at.isAtMost(NAME_CHARS)) {
      return;
    }
    String type = at.text();
    if (type.equals("error") || type.endsWith(".error")) {
      says = true;
      return;
    }
    begun |= !isBeginning(type);
    if (says || top != null) {
      top().scalar("type", at);
    }
  }

  /** Returns whether a type of that length may be the one of an error. */
  private static boolean mayBeError(int length) {
    return length == 5 || length == 14 || length == 27;
  }

  /** Returns whether an event of that type comes before any that shows that the model works. */
  private static boolean isBeginning(String type) {
    return switch (type) {
      case "message_start",
          "ping",
          "keepalive",
          "response.created",
          "response.queued",
          "response.in_progress",
          "response.failed",
          "message" ->
          true;
      default -> false;
    };
  }

  private static boolean is(JsonWalk at, String text) {
    return at.isString() && at.isAtMost(text.length()) && at.text().equals(text);
  }

  /** Reads why a model stopped, which some servers say is a failure of theirs. */
  private void finish(JsonWalk at) {
    if (!at.isString() || !at.isAtMost(NAME_CHARS)) {
      return;
    }
    switch (at.length()) {
      case 5, 13, 28 -> {
        String reason = at.text().toLowerCase(Locale.ROOT);
        switch (reason) {
          case "error", "network_error", "insufficient_system_resource" -> finish = reason;
          default -> {}
        }
      }
      default -> {}
    }
  }

  /** Ends an error that is an object, or a list. */
  private void ends(ErrorMembers read) {
    members = null;
    JsonNode found = read.members();
    switch (place) {
      case ERROR -> {
        if (isStated(found)) {
          found(AnswerError.of(found));
        }
      }
      case ERRORS -> listed = isStated(found) ? found : listed;
      case STATUS -> {
        String code = read.text("status_code");
        if (isBad(code)) {
          found(VendorCodes.miniMax(code), described(code, read.text("status_msg")));
        }
      }
    }
  }

  private static ObjectNode described(String code, String message) {
    return JsonNodeFactory.instance.objectNode().put(CODE, code).put(MESSAGE, message);
  }

  /** Returns whether members say anything that is not the absence of an error. */
  private static boolean isStated(JsonNode members) {
    if (members.isString()) {
      return !members.asString("").isBlank();
    }
    if (!members.isObject()) {
      return false;
    }
    String code = members.path(CODE).asString("");
    boolean says = isBad(code);
    for (String member : new String[] {"type", MESSAGE, "status"}) {
      says |= code.isEmpty() && !members.path(member).asString("").isBlank();
    }
    return says || (code.isEmpty() && !members.isEmpty() && holdsMore(members));
  }

  /** Returns whether there are members that are no plain text or number. */
  private static boolean holdsMore(JsonNode members) {
    for (JsonNode each : members) {
      if (!each.asString("").isBlank() || (each.isContainer() && !each.isEmpty())) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a code is one of an error. */
  private static boolean isBad(String code) {
    return switch (code.strip().toLowerCase(Locale.ROOT)) {
      case "", "0", "200", "ok", "success", "null", "none" -> false;
      default -> true;
    };
  }

  /** Ends the document, which may be an error as a whole. */
  private void end() {
    ErrorMembers read = top;
    boolean sign = says || named || fails || read != null || listed != null || finish != null;
    if (error != null || !sign) {
      return;
    }
    JsonNode told = read == null ? JsonNodeFactory.instance.objectNode() : read.members();
    boolean bad = read != null && isBad(read.text(CODE));
    boolean worded = read != null && !read.text(MESSAGE).isBlank();
    JsonNode list = listed;
    if (says || named) {
      found(AnswerError.of(told));
    } else if (!ordinary && list != null) {
      found(AnswerError.of(list.isString() ? described("", list.asString("")) : list));
    } else if (!ordinary && worded && (bad || fails)) {
      found(AnswerError.of(told));
    } else if (finish != null) {
      boolean full = finish.startsWith("insufficient");
      found(full ? 503 : 502, described(finish, ""));
    } else if (fails) {
      found(AnswerError.of(told.isEmpty() ? described("failed", "") : told));
    }
    says = false;
  }

  private void found(int status, JsonNode stated) {
    found(AnswerError.of(status, stated));
  }

  private void found(AnswerError stated) {
    error = error == null ? stated : error;
  }

  /** Ends the reading: an error that is cut off counts as far as it came. */
  void finish() {
    endUnfinished();
    if (says || named) {
      end();
    }
  }

  private void endUnfinished() {
    ErrorMembers read = members;
    if (read != null) {
      ends(read);
    }
  }
}
