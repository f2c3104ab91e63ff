package io.penstock.provider.request;

import io.penstock.json.BodyEdit;
import io.penstock.json.JsonWalk;
import org.jspecify.annotations.Nullable;

/**
 * Finds the change that makes a request ask for the usage of its stream. Source: OpenAI's reference
 * of chat completions and of completions, {@code stream_options.include_usage}. If a member is
 * repeated, the last one counts.
 */
final class AskedUsage implements BodyMember {
  static final String OPTIONS = "stream_options";
  private static final String INCLUDE = "include_usage";
  private static final String ASKED = "\"" + INCLUDE + "\":true";

  private @Nullable BodyEdit bodyEdit;
  private long optionsAt;
  private boolean empty;
  private boolean stated;

  /**
   * Returns the change; null if the request already asks, or asks in an invalid way that will be
   * refused.
   */
  @Nullable BodyEdit edit() {
    return bodyEdit;
  }

  @Override
  public void open(JsonWalk at, boolean array) {
    if (at.depth() == 0) {
      // at least the member that asks for a stream follows, so a comma is right here
      bodyEdit = new BodyEdit(at.endsAt(), 0, "\"" + OPTIONS + "\":{" + ASKED + "},");
    } else if (isOptions(at)) {
      bodyEdit = null;
      optionsAt = at.isArray() ? -1 : at.endsAt();
      empty = true;
      stated = false;
    } else {
      member(at, null);
    }
  }

  @Override
  public void close(JsonWalk at) {
    if (isOptions(at) && optionsAt >= 0 && !stated) {
      bodyEdit = new BodyEdit(optionsAt, 0, empty ? ASKED : ASKED + ",");
    }
  }

  @Override
  public void scalar(JsonWalk at) {
    if (isOptions(at)) {
      bodyEdit = at.isNull() ? instead(at, "{" + ASKED + "}") : null;
    } else {
      member(at, at.isNull() || (at.isBoolean() && !at.isTrue()) ? instead(at, "true") : null);
    }
  }

  private void member(JsonWalk at, @Nullable BodyEdit instead) {
    if (at.depth() == 2 && OPTIONS.equals(at.name(1))) {
      empty = false;
      if (INCLUDE.equals(at.name())) {
        stated = true;
        bodyEdit = instead;
      }
    }
  }

  /** Returns the replacement of the {@code null} or {@code false} at the current position. */
  private static BodyEdit instead(JsonWalk at, String text) {
    int length = at.isNull() ? 4 : 5;
    return new BodyEdit(at.endsAt() - length, length, text);
  }

  private static boolean isOptions(JsonWalk at) {
    return at.depth() == 1 && OPTIONS.equals(at.name());
  }
}
