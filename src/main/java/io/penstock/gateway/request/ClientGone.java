package io.penstock.gateway.request;

/**
 * Thrown when the client breaks its request off while it is passed on, so that there is no client
 * left to answer.
 */
public final class ClientGone extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ClientGone() {
    super("the client broke off", null, false, false);
  }
}
