package io.penstock.key;

import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * Keeps keys that operators made. Safe from any thread; all calls return at once, and their stages
 * complete once this instance knows the change.
 *
 * <p>A stage that completes exceptionally, with {@link Lost}, changed nothing, or is not known to
 * have.
 */
public interface KeyStore {
  /** What came of a change. */
  sealed interface Change {}

  /** It was made: this is the key now, or, when it was removed, as it was. */
  record Done(KeySpec key) implements Change {}

  /** There is no key of that name. */
  record NoSuchKey() implements Change {}

  /** There is a key of that name already. */
  record NameTaken() implements Change {}

  /** Another key has that secret already. */
  record SecretTaken() implements Change {}

  /** The store cannot be asked; the message says why, without any address or credential. */
  final class Lost extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Makes one. */
    public Lost(String message) {
      super(message, null, false, false);
    }
  }

  /** Adds a key. */
  CompletionStage<Change> add(KeySpec key);

  /**
   * Changes the key of that name, as it is now, whichever instance changed it last; its name stays.
   *
   * @param edit is called on another thread, and what it throws is what the stage completes with
   */
  CompletionStage<Change> change(String name, UnaryOperator<KeySpec> edit);

  /** Removes the key of that name. */
  CompletionStage<Change> remove(String name);
}
