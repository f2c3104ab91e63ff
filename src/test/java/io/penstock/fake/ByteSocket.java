package io.penstock.fake;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * One end of a TCP connection that sends exactly the given bytes, valid or not. Reads fail after
 * the bound of every wait. Belongs to one thread at a time.
 */
public final class ByteSocket implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;

  ByteSocket(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(PatientWaits.LONGEST_MILLIS);
    socket.setTcpNoDelay(true);
    this.in = new BufferedInputStream(socket.getInputStream());
  }

  /** Connects to a port of the loopback. */
  public static ByteSocket to(int port) {
    return to(port, 0);
  }

  /** Connects with a receive buffer of the given size; 0 leaves it to the system. */
  public static ByteSocket to(int port, int receiveBytes) {
    try {
      Socket socket = new Socket();
      if (receiveBytes > 0) {
        socket.setReceiveBufferSize(receiveBytes);
      }
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return new ByteSocket(socket);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends text unchanged. */
  public ByteSocket send(String text) {
    return send(text.getBytes(UTF_8));
  }

  /** Sends bytes unchanged. */
  public ByteSocket send(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes); // unbuffered, and may be answered before it returns
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends one chunk. */
  public ByteSocket chunk(String text) {
    return send(Integer.toHexString(text.getBytes(UTF_8).length) + "\r\n" + text + "\r\n");
  }

  /** Sends a POST of JSON with a content length. */
  public ByteSocket post(String target, String json) {
    return send(request("POST", target, json));
  }

  /** Returns a request with a body and a content length. */
  public static String request(String method, String target, String body) {
    return method
        + " "
        + target
        + " HTTP/1.1\r\nHost: penstock\r\nContent-Type: application/json\r\nContent-Length: "
        + body.getBytes(UTF_8).length
        + "\r\n\r\n"
        + body;
  }

  /** Reads the head of a message. */
  public HttpMessage head() {
    try {
      return Http1.head(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads one chunk of a body, as text; empty at its end. */
  public String chunk() {
    try {
      return new String(Http1.chunk(in), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads an answer with its body. */
  public HttpMessage answer() {
    return message(true);
  }

  /** Reads a request with its body. */
  public HttpMessage request() {
    return message(false);
  }

  private HttpMessage message(boolean untilEnd) {
    try {
      HttpMessage head = Http1.head(in);
      return head.with(Http1.body(in, head, untilEnd));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Waits for the next byte without taking it.
   *
   * @return whether there is one; false at the end
   */
  public boolean awaitByte() {
    try {
      in.mark(1);
      boolean any = in.read() >= 0;
      in.reset();
      return any;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads at least one and at most {@code atMost} bytes; returns their number, −1 at the end. */
  public int take(int atMost) {
    try {
      return in.read(new byte[atMost]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads as text what comes until the other side has closed or reset the connection. */
  public String rest() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try {
      in.transferTo(all);
    } catch (java.net.SocketTimeoutException e) {
      throw new UncheckedIOException(e);
    } catch (IOException reset) {
      close();
    }
    return all.toString(UTF_8);
  }

  /** Sends to another one what comes until the end, as it comes, and keeps a copy. */
  void passRest(ByteSocket other, OutputStream copy) {
    try {
      OutputStream out = other.socket.getOutputStream();
      byte[] some = new byte[1 << 16];
      for (int read = in.read(some); read >= 0; read = in.read(some)) {
        copy.write(some, 0, read);
        out.write(some, 0, read);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until the other side has closed or reset the connection, ignoring bytes sent before. */
  public void awaitEnd() {
    try {
      in.skip(Long.MAX_VALUE);
      while (in.read() >= 0) {
        in.skip(Long.MAX_VALUE);
      }
    } catch (java.net.SocketTimeoutException e) {
      throw new UncheckedIOException(e);
    } catch (IOException reset) {
      close();
    }
  }

  /** Closes the output side; reading still works. */
  public void halfClose() {
    try {
      socket.shutdownOutput();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Closes the connection with a RST. */
  public void reset() {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
