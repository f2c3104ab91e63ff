package io.penstock.fake;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;

/** The client of a WebSocket, and the text messages that it receives. */
public final class TextSocket implements AutoCloseable {
  private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
  private final HttpClient client = HttpClient.newHttpClient();
  private final WebSocket socket;

  /** Opens a WebSocket with header lines. */
  public TextSocket(String url, List<String> headers) {
    WebSocket.Builder builder = client.newWebSocketBuilder();
    headers.forEach(
        each -> {
          int colon = each.indexOf(':');
          builder.header(each.substring(0, colon), each.substring(colon + 1).strip());
        });
    socket = PatientWaits.join(builder.buildAsync(URI.create(url), new Receiver()));
  }

  /** Records the messages, each in one piece. */
  private final class Receiver implements WebSocket.Listener {
    private final StringBuilder message = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
      message.append(data);
      if (last) {
        messages.add(message.toString());
        message.setLength(0);
      }
      webSocket.request(1);
      return CompletableFuture.completedStage(null);
    }
  }

  /** Sends a message. */
  public void send(String text) {
    PatientWaits.join(socket.sendText(text, true));
  }

  /** Returns the next message; fails if none comes. */
  public String next() {
    return PatientWaits.take(messages);
  }

  @Override
  public void close() {
    socket.abort();
    client.shutdownNow();
  }
}
