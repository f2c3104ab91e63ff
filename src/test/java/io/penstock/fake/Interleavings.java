package io.penstock.fake;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/** How many interleavings of two threads are looked at: many more with {@code -Pdeep}. */
public final class Interleavings {
  private static final boolean DEEP = Boolean.getBoolean("penstock.deep");

  private Interleavings() {}

  /**
   * Runs random operations of a class in two threads, switching between them wherever they touch
   * what they share.
   *
   * @throws AssertionError when results differ from those of every order of the same operations
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
