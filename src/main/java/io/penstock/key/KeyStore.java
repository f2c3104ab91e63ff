package io.penstock.key;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Keeps keys that operators made. Safe from any thread; all calls return at once.
 *
 * <p>A stage that completes exceptionally changed nothing, or is not known to have: the caller says
 * so and reads again.
 */
public interface KeyStore {
  /** Returns all keys. */
  CompletionStage<List<KeySpec>> all();

  /** Adds a key; completes with false, and changes nothing, when its name is taken. */
  CompletionStage<Boolean> add(KeySpec key);

  /** Replaces the key of that name; completes with false when there is none. */
  CompletionStage<Boolean> replace(KeySpec key);

  /** Removes a key; completes with false when there is none of that name. */
  CompletionStage<Boolean> remove(String name);

  /**
   * Returns a number that is another one whenever anything was changed since, by whichever
   * instance.
   */
  CompletionStage<Long> version();
}
