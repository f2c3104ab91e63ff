package io.penstock.key;

import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * Store of keys that operators create. Safe from any thread; all calls return at once, and their
 * stages complete once this instance knows the change.
 *
 * <p>When a stage completes exceptionally, with {@link Lost}, nothing was changed, or it is unknown
 * whether it was.
 */
public interface KeyStore {
  /** Result of a change. */
  sealed interface Change {}

  /** The change was made: the key after it, or the removed key. */
  record Done(KeySpec key) implements Change {}

  /** There is no key of that name. */
  record NoSuchKey() implements Change {}

  /** There is a key of that name already. */
  record NameTaken() implements Change {}

  /** Another key has that secret already. */
  record SecretTaken() implements Change {}

  /**
   * The store is not available; the message gives the reason, without any address or credential.
   */
  final class Lost extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception. */
    public Lost(String message) {
      super(message, null, false, false);
    }
  }

  /** Adds a key. */
  CompletionStage<Change> add(KeySpec key);

  /**
   * Changes the key with that name. The edit gets the latest key, whichever instance changed it
   * last; the name stays.
   *
   * @param edit is called on another thread; the stage completes with any exception it throws
   */
  CompletionStage<Change> change(String name, UnaryOperator<KeySpec> edit);

  /** Removes the key with that name; all instances do the same with its requests. */
  CompletionStage<Change> remove(String name, Revocation revocation);
}
