package io.penstock.provider.request;

import io.penstock.json.JsonWalk;
import org.jspecify.annotations.Nullable;

/**
 * A member of the outermost object of a request's body, as far as it matters. It is told of itself,
 * at depth 1, and of all values in it. Each belongs to one request.
 */
public interface BodyMember {
  /** Visits the object or array that begins at the walk's place. */
  default void open(JsonWalk at, boolean array) {}

  /** Visits the end of the object or array at the walk's place. */
  default void close(JsonWalk at) {}

  /** Visits the string, number, boolean or null at the walk's place. */
  default void scalar(JsonWalk at) {}

  /** Returns the UTF-8 bytes of its text so far. */
  default long textBytes() {
    return 0;
  }

  /** Returns the tokens of what is not text in it so far, such as images. */
  default long otherTokens() {
    return 0;
  }

  /**
   * Returns whether it makes the provider add input that the body does not contain, such as a file
   * that it names or results of a tool of the provider's own.
   */
  default boolean unseenInput() {
    return false;
  }

  /**
   * Returns what in it cannot be read, without its content, although a limit of tokens may need it;
   * or null.
   */
  default @Nullable String doubt() {
    return null;
  }

  /** Returns what is wrong with it, without its content, or null. */
  default @Nullable String fault() {
    return null;
  }
}
