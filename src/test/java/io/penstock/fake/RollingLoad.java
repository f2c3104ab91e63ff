package io.penstock.fake;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Load for gateways while they are replaced: requests that are answered at once, streams of some
 * seconds, requests that wait for a permit before they are forwarded, and permits of a token window
 * that is always used up.
 */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
public final class RollingLoad implements AutoCloseable {
  /** The kinds of requests; all but the first take some time. */
  public static final String SHORT = "short";

  public static final String STREAM = "stream";
  public static final String SLOT = "slot";
  public static final String WINDOW = "window";

  /** Path of the exactly shared window, and its capacity. */
  public static final String WINDOW_PATH = "/window";

  public static final long WINDOW_TOKENS = 10_000;
  public static final int WINDOW_SECONDS = 2;

  private static final long PIECE_NANOS = 100_000_000;
  private static final Pattern MOST = Pattern.compile("\"max_tokens\":(\\d+)");
  private static final String CHAT = "/v1/chat/completions";
  private static final String ASK =
      "{\"model\":\"m\",\"max_tokens\":5,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
  private static final String ANSWER =
      "{\"id\":\"a\",\"object\":\"chat.completion\",\"choices\":[],\"usage\":"
          + "{\"prompt_tokens\":5,\"completion_tokens\":5,\"total_tokens\":10}}";

  private final RawUpstream provider = RawUpstream.start((self, byteSocket) -> serve(byteSocket));

  private static String event(int piece) {
    return "data: {\"piece\":%d}\n\n".formatted(piece);
  }

  private static String events(int pieces) {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < pieces; i++) {
      all.append(event(i));
    }
    return all.append("data: [DONE]\n\n").toString();
  }

  /** Serves a connection until it is closed, which ends it by an exception. */
  private static void serve(ByteSocket byteSocket) {
    while (true) {
      HttpMessage request = byteSocket.request();
      if (request.text().contains("\"stream\":true")) {
        stream(byteSocket, pieces(request.text()));
      } else {
        LockSupport.parkNanos(PIECE_NANOS);
        byteSocket.send(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                + ANSWER.getBytes(UTF_8).length
                + "\r\n\r\n"
                + ANSWER);
      }
    }
  }

  private static int pieces(String asked) {
    Matcher most = MOST.matcher(asked);
    return most.find() ? Integer.parseInt(most.group(1)) : 0;
  }

  private static void stream(ByteSocket byteSocket, int pieces) {
    byteSocket.send(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < pieces; i++) {
      LockSupport.parkNanos(PIECE_NANOS);
      byteSocket.chunk(event(i));
    }
    byteSocket.chunk("data: [DONE]\n\n").send("0\r\n\r\n");
  }

  /** Returns a route file for it. */
  public String routes() {
    return """
    endpoints:
      - {path: %s, algorithm: token_window, tokens_per_window: %d, window_seconds: %d}
      - {path: /slot, algorithm: strict, rate: 5, dialect: openai, upstreams: [{id: s, url: "%s"}]}
      - {path: /chat, dialect: openai, upstreams: [{id: c, url: "%s"}]}
    """
        .formatted(WINDOW_PATH, WINDOW_TOKENS, WINDOW_SECONDS, provider.url(), provider.url());
  }

  /** Returns where the provider is. */
  public String url() {
    return provider.url();
  }

  /** Returns a request that is answered immediately after it was forwarded. */
  public RepeatingClients.Question shortQuestion() {
    return new RepeatingClients.Question(SHORT, "/chat" + CHAT, ASK, ANSWER::equals);
  }

  /** Returns a request with an answer of the given number of events, a tenth of a second apart. */
  public RepeatingClients.Question streamQuestion(int pieces) {
    String asks =
        "{\"stream\":true,\"model\":\"m\",\"max_tokens\":%d,".formatted(pieces)
            + "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
    return new RepeatingClients.Question(STREAM, "/chat" + CHAT, asks, events(pieces)::equals);
  }

  /** Starts clients that send all kinds of requests. */
  public void begin(RepeatingClients repeatingClients) {
    repeatingClients.ask(8, shortQuestion());
    for (int i = 0; i < 12; i++) {
      repeatingClients.ask(
          1, streamQuestion(40 + 5 * i)); // so that they do not end at the same time
    }
    repeatingClients.ask(
        40, new RepeatingClients.Question(SLOT, "/slot" + CHAT, ASK, ANSWER::equals));
    // exceeds the capacity of five windows, and of ten seconds of permits: some still wait after a
    // pause, also where everything is slow
    for (int i = 0; i < 120; i++) {
      String path = WINDOW_PATH + "?tokens=" + (20 + 14 * (i % 60));
      repeatingClients.ask(
          1,
          new RepeatingClients.Question(WINDOW, path, "", text -> text.startsWith("{\"ok\":true")));
    }
  }

  @Override
  public void close() {
    provider.close();
  }
}
