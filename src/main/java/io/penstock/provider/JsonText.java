package io.penstock.provider;

/**
 * A member that the provider shows to the model as JSON, such as the definitions of tools. It
 * weighs what it would without white space and with escapes resolved.
 */
final class JsonText {
  private long bytes;

  long textBytes() {
    return bytes;
  }

  void open(JsonWalk at) {
    bytes = at.depth() == 1 ? 1 : bytes + at.containerBytes();
  }

  void scalar(JsonWalk at) {
    if (at.depth() > 1) {
      bytes += at.compactBytes();
    } else {
      bytes = at.isNull() ? 0 : at.utf8Bytes();
    }
  }
}
