package io.penstock.store;

/**
 * Thrown if a store cannot be used; nothing was changed. The message describes the reason in one
 * line, for a person, without any secret.
 */
public final class UnusableStore extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnusableStore(String message) {
    super(message, null, false, false);
  }
}
