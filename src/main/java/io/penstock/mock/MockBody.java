package io.penstock.mock;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServerRequest;

/** Collects a request's body up to a maximum size. For one thread at a time. */
final class MockBody {
  private @Nullable ByteArrayOutputStream bytes = new ByteArrayOutputStream(1_024);

  private MockBody() {}

  /** Returns the body once it is complete, or as soon as it is too large. */
  static Mono<MockBody> read(HttpServerRequest request) {
    MockBody body = new MockBody();
    if (statedBytes(request) > MockRead.MAX_BODY_BYTES) {
      body.bytes = null;
      return Mono.just(body);
    }
    return request.receive().map(body::add).takeUntil(full -> full).then(Mono.just(body));
  }

  private static long statedBytes(HttpServerRequest request) {
    String length = request.requestHeaders().get(HttpHeaderNames.CONTENT_LENGTH);
    // the codec has already refused anything but a number
    return length == null ? 0 : Long.parseLong(length);
  }

  /** Appends bytes; returns whether the body is too large. */
  private boolean add(ByteBuf more) {
    if (bytes != null && bytes.size() + more.readableBytes() > MockRead.MAX_BODY_BYTES) {
      bytes = null;
    }
    if (bytes == null) {
      return true;
    }
    byte[] copy = new byte[more.readableBytes()];
    more.getBytes(more.readerIndex(), copy);
    bytes.writeBytes(copy);
    return false;
  }

  boolean tooLarge() {
    return bytes == null;
  }

  /** Returns the body; empty if it was too large. */
  byte[] bytes() {
    return bytes == null ? new byte[0] : bytes.toByteArray();
  }
}
