package io.penstock.fake;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/** Number of interleavings of two threads that are explored: many more with {@code -Pdeep}. */
public final class Interleavings {
  private static final boolean DEEP = Boolean.getBoolean("penstock.deep");

  private Interleavings() {}

  /**
   * Runs random operations of a class in two threads, switching between them at every access to
   * shared state.
   *
   * @throws AssertionError if the results differ from those of every sequential order of the
   *     operations
   */
  public static void check(Class<?> operations) {
    new ModelCheckingOptions()
        .iterations(DEEP ? 100 : 5)
        .invocationsPerIteration(DEEP ? 2_000 : 50)
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(1)
        .actorsAfter(1)
        .check(operations);
  }
}
