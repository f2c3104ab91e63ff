package io.penstock.sim;

/** Something that must always hold did not. */
final class Violation extends AssertionError {
  private static final long serialVersionUID = 1L;

  Violation(String what) {
    super(what);
  }
}
