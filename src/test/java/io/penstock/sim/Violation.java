package io.penstock.sim;

/** Thrown when an invariant does not hold. */
public final class Violation extends AssertionError {
  private static final long serialVersionUID = 1L;

  public Violation(String what) {
    super(what);
  }
}
