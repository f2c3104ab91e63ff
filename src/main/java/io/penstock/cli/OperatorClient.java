package io.penstock.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Client of the operator port of a running gateway. Safe from any thread.
 *
 * <p>Uses the oldest of Java's HTTP clients, which starts in a quarter of the time that the newer
 * one takes.
 */
final class OperatorClient {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration ANSWER = Duration.ofSeconds(30);
  private static final Duration SILENCE = Duration.ofSeconds(40);
  private static final String TOKEN = "PENSTOCK_OPERATOR_TOKEN";
  private static final int REFUSED = 401;
  private static final int NOT_FOUND = 404;

  /** Thrown when a request failed; the message gives the reason in one line. */
  static final class Failed extends Exception {
    private static final long serialVersionUID = 1L;

    private final String why;
    private final boolean asked;
    private final int status;

    private Failed(String message, boolean asked) {
      this(message, asked, 0);
    }

    private Failed(String message, boolean asked, int status) {
      super(message, null, false, false);
      this.why = message;
      this.asked = asked;
      this.status = status;
    }

    /** Returns the message. */
    String why() {
      return why;
    }

    /** Returns whether the request itself was wrong. */
    boolean asked() {
      return asked;
    }

    /** Returns whether the token was missing or wrong. */
    boolean token() {
      return status == REFUSED;
    }

    /** Returns whether the requested object does not exist. */
    boolean missing() {
      return status == NOT_FOUND;
    }
  }

  /**
   * An answer of the gateway.
   *
   * @param more whether there is another page
   */
  record Answer(JsonNode body, boolean more) {}

  private final Map<String, String> environment;

  @Option(
      names = "--attach",
      paramLabel = "URL",
      description = "Operator port of the gateway (default: ${DEFAULT-VALUE}).")
  private String attach = "http://127.0.0.1:8081";

  @Option(
      names = "--token",
      description = "Operator token (default: the environment's PENSTOCK_OPERATOR_TOKEN).")
  private @Nullable String token;

  OperatorClient(Map<String, String> environment) {
    this.environment = environment;
  }

  /** Returns the URL of the operator port, as given. */
  String attach() {
    return attach;
  }

  /** Throws if the given URL is invalid, before any request is sent. */
  void check() throws Failed {
    HttpURLConnection unused = open("/");
    unused.disconnect();
  }

  /** Sends a request for {@code path}, with a JSON body if one is given. */
  Answer ask(String method, String path, @Nullable Object body) throws Failed {
    return ask(method, path, body, ANSWER);
  }

  /** Sends the same request with the given read timeout. */
  Answer ask(String method, String path, @Nullable Object body, Duration patience) throws Failed {
    HttpURLConnection connection = open(path);
    connection.setReadTimeout((int) patience.toMillis());
    connection.setRequestProperty("Accept", "application/json, application/problem+json");
    byte[] sent = body == null ? new byte[0] : JsonMapper.shared().writeValueAsBytes(body);
    try {
      connection.setRequestMethod(method);
      if (body != null) {
        connection.setRequestProperty("Content-Type", "application/json");
      }
      if ("POST".equals(method)) {
        // Java's client never repeats a request with a streamed body.
        connection.setFixedLengthStreamingMode(sent.length);
        connection.setDoOutput(true);
        connection.getOutputStream().write(sent);
      }
      return read(connection);
    } catch (IOException unreachable) {
      throw failed(unreachable);
    }
  }

  /** A stream of events, line by line, until it is closed. */
  record Events(HttpURLConnection connection, BufferedReader lines) implements AutoCloseable {
    /** Returns the next line, or null at the end. */
    @Nullable String line() throws IOException {
      return lines.readLine();
    }

    @Override
    public void close() {
      connection.disconnect();
    }
  }

  /** Opens a stream of events. */
  Events stream(String path) throws Failed {
    HttpURLConnection connection = open(path);
    connection.setReadTimeout((int) SILENCE.toMillis());
    connection.setRequestProperty("Accept", "text/event-stream, application/problem+json");
    try {
      if (status(connection) / 100 != 2) {
        read(connection);
      }
      return new Events(connection, lines(connection.getInputStream()));
    } catch (IOException unreachable) {
      throw failed(unreachable);
    }
  }

  private static BufferedReader lines(InputStream stream) {
    return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
  }

  private HttpURLConnection open(String path) throws Failed {
    URI target = target(path);
    String known = token == null ? environment.getOrDefault(TOKEN, "") : token;
    if (known.strip().chars().anyMatch(each -> each < ' ' || each > '~')) {
      throw new Failed("the operator token has characters that no header may have", true);
    }
    try {
      HttpURLConnection connection = (HttpURLConnection) target.toURL().openConnection();
      connection.setConnectTimeout((int) CONNECT.toMillis());
      connection.setInstanceFollowRedirects(false);
      connection.setUseCaches(false);
      if (!known.isBlank()) {
        connection.setRequestProperty("Authorization", "Bearer " + known.strip());
      }
      return connection;
    } catch (IOException unfit) {
      throw failed(unfit);
    }
  }

  private URI target(String path) throws Failed {
    try {
      URI base = URI.create(attach.replaceFirst("/+$", ""));
      boolean http = "http".equals(base.getScheme()) || "https".equals(base.getScheme());
      if (http && base.getHost() != null && base.getUserInfo() == null) {
        return URI.create(base + path);
      }
    } catch (IllegalArgumentException unreadable) {
      throw new Failed("--attach is no URL, expected one such as http://127.0.0.1:8081", true);
    }
    throw new Failed("--attach is expected to be a URL such as http://127.0.0.1:8081", true);
  }

  /** Returns the description of a connection error in one line. */
  Failed failed(IOException why) {
    return why instanceof SocketTimeoutException
        ? new Failed("no answer from " + attach + " in time", false)
        : new Failed(
            "nobody answers at "
                + attach
                + ": is the gateway running, and --attach its operator port?",
            false);
  }

  private static int status(HttpURLConnection connection) throws IOException {
    try {
      return connection.getResponseCode();
    } catch (HttpRetryException refused) {
      return refused.responseCode(); // Java's client would have to repeat it with a password
    }
  }

  private Answer read(HttpURLConnection connection) throws Failed, IOException {
    int status = status(connection);
    if (status == REFUSED) {
      throw new Failed(
          "the operator port refuses the token: give --token, or set " + TOKEN, false, status);
    }
    boolean good = status / 100 == 2;
    JsonNode body;
    try (InputStream from = good ? connection.getInputStream() : connection.getErrorStream()) {
      body = parsed(from == null ? "" : new String(from.readAllBytes(), StandardCharsets.UTF_8));
    }
    if (good) {
      String link = connection.getHeaderField("Link");
      return new Answer(body, link != null && link.contains("rel=\"next\""));
    }
    String detail = body.path("detail").asString("");
    String why = detail.isEmpty() ? "it answered with status " + status : detail;
    throw new Failed(why, status == 400, status);
  }

  private JsonNode parsed(String text) throws Failed {
    try {
      return CommandJson.read(text.isBlank() ? "{}" : text);
    } catch (JacksonException other) {
      throw new Failed(attach + " is no operator port of a gateway", false);
    }
  }

  /** Returns a name encoded as a path segment or as the value of a query parameter. */
  static String encoded(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
