package io.penstock.simulator;

/** Thrown when an invariant does not hold. */
public final class InvariantViolation extends AssertionError {
  private static final long serialVersionUID = 1L;

  public InvariantViolation(String what) {
    super(what);
  }
}
