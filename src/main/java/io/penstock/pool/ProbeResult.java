package io.penstock.pool;

/** Result of a probe of an unhealthy upstream. */
public enum ProbeResult {
  /** It answers, or accepts connections where it is not asked anything. */
  WORKS,
  /**
   * It answers, but not the gateway's question: the credential may not ask it, or may not ask it
   * now. Only a request of a client can show whether it works.
   */
  UNCLEAR,
  /** It answers with an error of its own. */
  ERROR,
  /** There was no answer in time, or no connection. */
  UNREACHABLE;

  private static final int SERVER_ERRORS = 500;
  private static final int NOT_IMPLEMENTED = 501;

  /** Returns what an answer of that status means. */
  public static ProbeResult of(int status) {
    return switch (status) {
      case 401, 402, 403, 408, 429, NOT_IMPLEMENTED -> UNCLEAR;
      default -> status < SERVER_ERRORS ? WORKS : ERROR;
    };
  }
}
