package io.penstock.provider.request;

import java.nio.ByteBuffer;

/** Reads one request body as it arrives. Not safe for use by several threads at once. */
public interface RequestReader {
  /** Reads and consumes {@code bytes}. Whatever they are, nothing is thrown; nothing is kept. */
  void feed(ByteBuffer bytes);

  /** Says that the body has ended, and returns what it weighs. */
  Weighed finish();
}
