package io.penstock.gateway;

/** The client broke its request off while it was being passed on: nobody is left to answer. */
final class ClientGone extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ClientGone() {
    super("the client broke off", null, false, false);
  }
}
