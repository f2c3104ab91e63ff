package io.penstock.provider.request;

import io.penstock.json.JsonWalk;
import org.jspecify.annotations.Nullable;

/** The model that a request asks for: a member of its body, or a part of its path. */
public final class StatedModel implements BodyMember {
  /** Longest name of a model, in characters. */
  public static final int MAX_LENGTH = 256;

  private static final String MISSING = "model is missing";

  private @Nullable String name;
  private @Nullable String fault = MISSING;
  private long at = -1;
  private int length;

  /**
   * Returns the model that a path names.
   *
   * @param fault what is wrong with the name, or null
   */
  public static StatedModel ofPath(String name, @Nullable String fault) {
    StatedModel model = new StatedModel();
    model.name = name;
    model.fault = fault;
    return model;
  }

  @Override
  public void open(JsonWalk walk, boolean array) {
    if (walk.depth() == 1) {
      notAString();
    }
  }

  private void notAString() {
    name = null;
    at = -1;
    fault = "model is not a string";
  }

  @Override
  public void scalar(JsonWalk walk) {
    if (walk.depth() != 1) {
      return;
    }
    notAString();
    if (walk.isString()) {
      String text = walk.beginning(MAX_LENGTH + 1);
      name = text;
      fault = fault(text);
      at = walk.startsAt();
      length = (int) (walk.endsAt() - at);
    }
  }

  /** Returns what is wrong with a name, or null. */
  public static @Nullable String fault(String name) {
    if (name.length() > MAX_LENGTH) {
      return "model is longer than " + MAX_LENGTH + " characters";
    }
    return name.isBlank() ? "model is blank" : null;
  }

  /** Allows the request to name no model. */
  void optional() {
    fault = MISSING.equals(fault) ? null : fault;
  }

  /** Returns the name, or null if there is none. */
  @Nullable String name() {
    return name;
  }

  /** Returns the offset of the JSON string in the body, quotes included; −1 if there is none. */
  long at() {
    return at;
  }

  /** Returns the bytes of that string. */
  int length() {
    return length;
  }

  @Override
  public @Nullable String fault() {
    return fault;
  }
}
