package io.penstock.redis;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Real Redis on a port of its own, with a connection on which commands are pipelined. */
public final class RawRedis implements AutoCloseable {
  /** Error that Redis answers. */
  public record Failure(String message) {}

  private final RedisServer server;
  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  RawRedis() throws IOException {
    this(RedisServer.started());
  }

  /** Connects to a server, which is closed with this object. */
  public RawRedis(RedisServer server) throws IOException {
    this.server = server;
    socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setSoTimeout(PatientWaits.LONGEST_MILLIS);
    in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
  }

  public Object call(String... words) throws IOException {
    send(List.of(words));
    return answer();
  }

  /** Writes a command; {@link #answer} reads its answer. */
  public void send(List<String> words) throws IOException {
    line("*" + words.size());
    for (String word : words) {
      byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
      line("$" + bytes.length);
      out.write(bytes);
      line("");
    }
  }

  private void line(String text) throws IOException {
    out.write((text + "\r\n").getBytes(StandardCharsets.UTF_8));
  }

  public Object answer() throws IOException {
    out.flush();
    return Objects.requireNonNull(read(), "redis has no such value, expected one");
  }

  private @Nullable Object read() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case '-' -> new Failure(rest);
      case ':' -> Long.valueOf(rest);
      case '$' -> rest.equals("-1") ? null : bulk(Integer.parseInt(rest));
      case '*' -> list(Integer.parseInt(rest));
      default -> throw new IOException("redis answered '" + line + "', expected a reply");
    };
  }

  private String bulk(int length) throws IOException {
    String text = new String(in.readNBytes(length), StandardCharsets.UTF_8);
    in.skipNBytes(2);
    return text;
  }

  private List<@Nullable Object> list(int size) throws IOException {
    List<@Nullable Object> list = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      list.add(read());
    }
    return list;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    while (true) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("redis has closed the connection");
      }
      if (next == '\r') {
        in.skipNBytes(1);
        return line.toString();
      }
      line.append((char) next);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
    server.close();
  }
}
