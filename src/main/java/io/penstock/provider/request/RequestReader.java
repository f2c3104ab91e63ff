package io.penstock.provider.request;

import java.nio.ByteBuffer;

/** Reads one request body as it arrives. Not thread-safe. */
public interface RequestReader {
  /**
   * Reads and consumes {@code bytes}. Never throws, whatever they are, and keeps no reference to
   * them.
   */
  void feed(ByteBuffer bytes);

  /** Ends the body, and returns the request with its estimated cost. */
  WeighedRequest finish();
}
