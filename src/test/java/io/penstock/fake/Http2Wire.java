package io.penstock.fake;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;

/** Client side of an HTTP/2 connection with prior knowledge, without TLS. */
public final class Http2Wire implements AutoCloseable {
  /** Types of frames. */
  public static final int DATA = 0;

  public static final int GOAWAY = 7;
  private static final int HEADERS = 1;
  private static final int SETTINGS = 4;

  private static final int END_STREAM_AND_HEADERS = 5;

  /** A received frame. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Frame(int type, int stream, byte[] payload) {
    /** Returns the id of the last stream that a GOAWAY allows to complete. */
    public int lastStream() {
      return ByteBuffer.wrap(payload).getInt();
    }

    /** Returns the payload as text. */
    public String text() {
      return new String(payload, UTF_8);
    }
  }

  private final Socket socket;
  private final DataInputStream in;

  /** Connects to a port of the loopback. */
  public Http2Wire(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PatientWaits.LONGEST_MILLIS);
    in = new DataInputStream(socket.getInputStream());
    socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
    send(SETTINGS, 0, 0, new byte[0]);
  }

  /** Sends a GET request on the given stream. */
  public void get(int stream, String path) throws IOException {
    get(stream, path, "localhost");
  }

  /** Sends a GET request with the given authority on the given stream. */
  public void get(int stream, String path, String authority) throws IOException {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    block.write(0x82); // :method GET, from the static table
    block.write(0x86); // :scheme http
    literal(block, 4, path); // :path
    literal(block, 1, authority); // :authority
    send(HEADERS, END_STREAM_AND_HEADERS, stream, block.toByteArray());
  }

  /** Appends a literal value with a name from the static table, not indexed. */
  private static void literal(ByteArrayOutputStream block, int name, String value) {
    block.write(name);
    byte[] bytes = value.getBytes(US_ASCII);
    block.write(bytes.length);
    block.writeBytes(bytes);
  }

  private void send(int type, int flags, int stream, byte[] payload) throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
    frame.put((byte) 0).putShort((short) payload.length);
    frame.put((byte) type).put((byte) flags).putInt(stream).put(payload);
    socket.getOutputStream().write(frame.array());
  }

  /** Reads frames until a non-empty one of the given type, and returns it. */
  public Frame next(int type) throws IOException {
    while (true) {
      int length = (in.readUnsignedByte() << 16) | in.readUnsignedShort();
      int came = in.readUnsignedByte();
      in.readUnsignedByte();
      int stream = in.readInt();
      byte[] payload = in.readNBytes(length);
      if (came == type && length > 0) {
        return new Frame(came, stream, payload);
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
