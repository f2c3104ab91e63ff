package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.suite.Hostile;
import java.io.ByteArrayOutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests clients that break the rules of HTTP/2: the log says so in a line, without a stack trace.
 */
@Hostile(Hostile.By.CLIENT)
class Http2FaultsIT extends HostileCase {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PUSH_PROMISE = 5;
  private static final int PING = 6;
  private static final int WINDOW_UPDATE = 8;
  private static final int CONTINUATION = 9;

  /** A way of breaking the rules. */
  @SuppressWarnings("ImmutableEnumChecker") // the functions are
  enum Fault {
    DATA_ON_AN_IDLE_STREAM(out -> frame(out, DATA, 0, 7, new byte[4])),
    HEADERS_ON_AN_EVEN_STREAM(out -> frame(out, HEADERS, 5, 2, request())),
    HEADERS_THAT_CANNOT_BE_DECODED(
        out -> frame(out, HEADERS, 5, 1, new byte[] {(byte) 0xff, (byte) 0xff, (byte) 0xff, 127})),
    HEADERS_WITHOUT_A_PATH(out -> frame(out, HEADERS, 5, 1, new byte[] {(byte) 0x82})),
    HEADERS_WITH_A_METHOD_OF_NO_TOKEN(out -> frame(out, HEADERS, 5, 1, request("G@T"))),
    HEADERS_WITH_NO_SCHEME(out -> frame(out, HEADERS, 5, 1, new byte[] {(byte) 0x82, (byte) 0x84})),
    HEADER_IN_CAPITALS(out -> frame(out, HEADERS, 5, 1, with("X-Team", "blue"))),
    HEADER_OF_A_CONNECTION(out -> frame(out, HEADERS, 5, 1, with("connection", "close"))),
    LONG_FRAME(out -> frame(out, DATA, 0, 1, new byte[20_000])),
    SHORT_PING(out -> frame(out, PING, 0, 0, new byte[3])),
    WINDOW_OF_NOTHING(out -> frame(out, WINDOW_UPDATE, 0, 0, new byte[4])),
    WINDOW_THAT_OVERFLOWS(out -> frame(out, WINDOW_UPDATE, 0, 0, new byte[] {127, -1, -1, -1})),
    PROMISE_OF_A_CLIENT(out -> frame(out, PUSH_PROMISE, 4, 1, new byte[4])),
    CONTINUATION_OF_NOTHING(out -> frame(out, CONTINUATION, 4, 1, new byte[4])),
    BAD_SETTINGS(out -> frame(out, SETTINGS, 0, 0, new byte[] {0, 2, 0, 0, 0, 9})),
    NO_HTTP2(out -> out.writeBytes("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII))),
    MANY_RESETS(
        out -> {
          for (int stream = 1; stream < 2_001; stream += 2) {
            frame(out, HEADERS, 5, stream, request());
            frame(out, RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8});
          }
        }),
    MANY_PINGS(
        out -> {
          for (int i = 0; i < 20_000; i++) {
            frame(out, PING, 0, 0, new byte[8]);
          }
        }),
    MANY_CONTINUATIONS(
        out -> {
          frame(out, HEADERS, 1, 1, request());
          for (int i = 0; i < 1_000; i++) {
            frame(out, CONTINUATION, 0, 1, with("x-" + i, "y".repeat(100)));
          }
        }),
    END_IN_A_FRAME(out -> out.writeBytes(new byte[] {0, 0, 9, 0, 0}));

    private final Consumer<ByteArrayOutputStream> written;

    Fault(Consumer<ByteArrayOutputStream> written) {
      this.written = written;
    }

    byte[] bytes() {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      frame(out, SETTINGS, 0, 0, new byte[0]);
      written.accept(out);
      return out.toByteArray();
    }
  }

  @Override
  String routes() {
    return """
    endpoints:
      - {path: /openai, dialect: openai, upstreams: [{id: o, url: "%1$s"}]}
      - {path: /permit, algorithm: none}
    """;
  }

  @Override
  String[] arguments() {
    return new String[] {"--server.http2.enabled=true"};
  }

  private static void frame(
      ByteArrayOutputStream out, int type, int flags, int stream, byte[] payload) {
    ByteBuffer head = ByteBuffer.allocate(9);
    head.put((byte) (payload.length >> 16)).putShort((short) payload.length);
    head.put((byte) type).put((byte) flags).putInt(stream);
    out.writeBytes(head.array());
    out.writeBytes(payload);
  }

  /** Returns the header block of a request for the permit. */
  private static byte[] request() {
    return request("GET");
  }

  private static byte[] request(String method) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    literal(block, 2, method); // :method
    block.write(0x86); // :scheme http
    literal(block, 4, "/permit"); // :path
    literal(block, 1, "localhost"); // :authority
    return block.toByteArray();
  }

  private static byte[] with(String name, String value) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    block.writeBytes(request());
    block.write(0); // a literal with a new name, not indexed
    block.write(name.length());
    block.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
    block.write(value.length());
    block.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
    return block.toByteArray();
  }

  private static void literal(ByteArrayOutputStream block, int name, String value) {
    block.write(name);
    block.write(value.length());
    block.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
  }

  @ParameterizedTest
  @EnumSource
  void clientThatBreaksTheRules_isNoStackTraceInTheLog(Fault fault) {
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(fault.bytes()).halfClose();
      byteSocket.awaitEnd();
    } catch (UncheckedIOException cut) {
      // the gateway may close the connection while the client is still sending
      assertThat(cut.getMessage()).containsAnyOf("Broken pipe", "Connection reset");
    }
    assertThat(ask("GET /permit HTTP/1.1\r\nHost: localhost\r\n\r\n").status()).isEqualTo(200);
    assertThat(logged.traces()).isEmpty();
    // of the first fault in a minute there is a line
    assertThat(logged.lines())
        .allMatch(line -> line.contains(" io.penstock.http client /127.0.0.1:"))
        .hasSizeLessThanOrEqualTo(1);
  }
}
