package io.penstock.provider.request;

import io.penstock.json.JsonWalk;
import org.jspecify.annotations.Nullable;

/** The model that a request asks for: a member of its body, or a part of its path. */
public final class StatedModel implements BodyMember {
  /** Longest name of a model, in characters. */
  public static final int MAX_LENGTH = 256;

  private static final String MISSING = "model is missing";
  private static final String BLANK = "model is blank";

  private @Nullable String name;
  private @Nullable String fault;
  private @Nullable String doubt = MISSING;
  private boolean absent = true;
  private boolean optional;
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
    model.doubt = null;
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
    absent = false;
    at = -1;
    doubt = "model is not a string";
  }

  @Override
  public void scalar(JsonWalk walk) {
    if (walk.depth() != 1) {
      return;
    }
    notAString();
    absent = walk.isNull();
    if (walk.isString()) {
      read(walk, walk.beginning(MAX_LENGTH + 1));
    }
  }

  private void read(JsonWalk walk, String text) {
    if (text.isBlank()) {
      doubt = BLANK;
      return;
    }
    name = text;
    doubt = null;
    fault = fault(text);
    at = walk.startsAt();
    length = (int) (walk.endsAt() - at);
  }

  /** Returns what is wrong with a name, or null. */
  public static @Nullable String fault(String name) {
    if (name.length() > MAX_LENGTH) {
      return "model is longer than " + MAX_LENGTH + " characters";
    }
    return name.isBlank() ? BLANK : null;
  }

  /** Allows the request to name no model. */
  void optional() {
    optional = true;
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

  /** Returns why there is no name although the request should have one, or null. */
  @Override
  public @Nullable String doubt() {
    return optional && absent ? null : doubt;
  }

  @Override
  public @Nullable String fault() {
    return fault;
  }
}
