package io.penstock.sim;

/** Something that must always hold did not. */
public final class Violation extends AssertionError {
  private static final long serialVersionUID = 1L;

  public Violation(String what) {
    super(what);
  }
}
