package io.penstock.fake;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Connections that request a stream of events and read nothing until told to. */
public final class SlowReaders implements AutoCloseable {
  private final List<Socket> sockets = new ArrayList<>();

  /** Opens connections for a path of the operator port. */
  public SlowReaders(int operatorPort, String path, int readers) throws IOException {
    for (int each = 0; each < readers; each++) {
      Socket socket = new Socket();
      // The receive buffer keeps its usual size: from a small one the kernel drops what it has
      // received, and minutes pass until it is sent again.
      socket.setSoTimeout(PatientWaits.LONGEST_MILLIS);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), operatorPort));
      // HTTP/1.0 answers are not chunked
      String ask = "GET " + path + " HTTP/1.0\r\nHost: localhost\r\n\r\n";
      socket.getOutputStream().write(ask.getBytes(UTF_8));
      sockets.add(socket);
    }
  }

  /** Returns a reader for each connection, which reads from now on. */
  public List<BufferedReader> read() throws IOException {
    List<BufferedReader> readers = new ArrayList<>();
    for (Socket socket : sockets) {
      readers.add(new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8)));
    }
    return readers;
  }

  @Override
  public void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
