package io.penstock.gateway;

/**
 * The order of the steps. All come before the framework writes the answer (−1), so that the answer
 * they see is the one that is written.
 */
final class Steps {
  static final int IDENTIFY = -70;
  static final int WEIGH = -60;
  static final int ADMIT = -40;
  static final int FORWARD = -30;
  static final int SETTLE = -20;

  private Steps() {}
}
