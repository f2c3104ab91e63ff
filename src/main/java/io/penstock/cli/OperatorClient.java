package io.penstock.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Client of the operator port of a running gateway. Safe from any thread.
 *
 * <p>Uses the oldest of Java's HTTP clients where it can, because that starts in a quarter of the
 * time that the newer one takes.
 */
final class OperatorClient {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration ANSWER = Duration.ofSeconds(30);
  private static final Duration SILENCE = Duration.ofSeconds(40);
  private static final String TOKEN = "PENSTOCK_OPERATOR_TOKEN";
  private static final String BEARER = "Bearer ";
  private static final String JSON = "application/json";
  private static final String PROBLEM = "application/problem+json";
  private static final String ACCEPTED = JSON + ", " + PROBLEM;
  private static final String EVENTS = "text/event-stream";
  private static final int BAD_REQUEST = 400;
  private static final int UNAUTHORIZED = 401;
  private static final int NOT_FOUND = 404;
  private static final int UNAVAILABLE = 503;

  /** Thrown when a request failed; the message gives the reason in one line. */
  static final class Failed extends Exception {
    private static final long serialVersionUID = 1L;

    private final String why;
    private final Kind kind;

    Failed(Kind kind, String message) {
      super(message, null, false, false);
      this.why = message;
      this.kind = kind;
    }

    /** Returns the message. */
    String why() {
      return why;
    }

    /** Returns whether the request itself was wrong. */
    boolean asked() {
      return kind == Kind.WRONG_REQUEST;
    }

    /** Returns whether the same request would fail again, however often it is sent. */
    boolean hopeless() {
      return kind != Kind.FAILED;
    }

    /** Returns whether the requested object does not exist. */
    boolean missing() {
      return kind == Kind.MISSING;
    }
  }

  /** The kinds of failures. */
  enum Kind {
    /** The request itself was wrong. */
    WRONG_REQUEST,
    /** The token was missing or wrong. */
    WRONG_TOKEN,
    /** The operator port of a gateway does not answer at the address, something else does. */
    WRONG_PLACE,
    /** The requested object does not exist. */
    MISSING,
    /** All others, which may be over soon. */
    FAILED
  }

  /**
   * An answer of the gateway.
   *
   * @param more whether there is another page
   */
  record Answer(JsonNode body, boolean more) {}

  /**
   * An answer of whatever server is at the address.
   *
   * @param headers returns the first value of a header, or null
   */
  private record ServerAnswer(int status, Function<String, @Nullable String> headers, String text) {
    boolean good() {
      return status / 100 == 2;
    }

    /** Returns the first value of a header; empty if there is none. */
    String header(String name) {
      return Objects.requireNonNullElse(headers.apply(name), "");
    }

    /** Returns whether its content is of a type in which an operator port answers. */
    boolean fits() {
      String type = header("Content-Type");
      return good()
          ? type.isEmpty() || type.startsWith(JSON) || type.startsWith(EVENTS)
          : type.startsWith(PROBLEM);
    }
  }

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

  /** Returns the failure of a request that was answered in another form than that of its path. */
  Failed unexpected() {
    return new Failed(
        Kind.WRONG_PLACE,
        attach + " is no operator port of a gateway: a server there answers with other JSON");
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
    connection.setRequestProperty("Accept", ACCEPTED);
    byte[] sent = body == null ? new byte[0] : JsonMapper.shared().writeValueAsBytes(body);
    try {
      connection.setRequestMethod(method);
      if (body != null) {
        connection.setRequestProperty("Content-Type", JSON);
      }
      if ("POST".equals(method)) {
        // Java's client never repeats a request with a streamed body.
        connection.setFixedLengthStreamingMode(sent.length);
        connection.setDoOutput(true);
        connection.getOutputStream().write(sent);
      }
      return answer(received(connection));
    } catch (IOException unreachable) {
      throw failed(unreachable);
    }
  }

  /** Returns whether the gateway takes requests, as its health check for that says. */
  boolean ready() throws Failed {
    HttpURLConnection connection = open("/actuator/health/readiness");
    connection.setReadTimeout((int) ANSWER.toMillis());
    connection.setRequestProperty("Accept", ACCEPTED);
    try {
      ServerAnswer received = received(connection);
      String type = received.header("Content-Type");
      if (received.status() == UNAVAILABLE && type.startsWith(JSON)) {
        return false;
      }
      return answer(received).body().path("status").asString("").equals("UP");
    } catch (IOException unreachable) {
      throw failed(unreachable);
    }
  }

  /** Sends a PATCH request with a JSON body, which only the newer of Java's clients can send. */
  Answer patch(String path, Object body) throws Failed {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(target(path))
            .timeout(ANSWER)
            .header("Accept", ACCEPTED)
            .header("Content-Type", JSON)
            .method(
                "PATCH",
                HttpRequest.BodyPublishers.ofByteArray(
                    JsonMapper.shared().writeValueAsBytes(body)));
    String token = checkedToken();
    if (!token.isEmpty()) {
      request.header("Authorization", BEARER + token);
    }
    try (HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .build()) {
      HttpResponse<String> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      return answer(
          new ServerAnswer(
              response.statusCode(),
              name -> response.headers().firstValue(name).orElse(null),
              response.body()));
    } catch (IOException unreachable) {
      throw failed(unreachable);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new Failed(Kind.FAILED, "the command was stopped before there was an answer");
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
    connection.setRequestProperty("Accept", EVENTS + ", " + PROBLEM);
    try {
      if (status(connection) / 100 != 2) {
        answer(received(connection));
      }
      checkPlace(head(connection));
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
    String known = checkedToken();
    try {
      HttpURLConnection connection = (HttpURLConnection) target.toURL().openConnection();
      connection.setConnectTimeout((int) CONNECT.toMillis());
      connection.setInstanceFollowRedirects(false);
      connection.setUseCaches(false);
      if (!known.isEmpty()) {
        connection.setRequestProperty("Authorization", BEARER + known);
      }
      return connection;
    } catch (IOException unfit) {
      throw failed(unfit);
    }
  }

  private String checkedToken() throws Failed {
    String known = token();
    if (known.chars().anyMatch(each -> each < ' ' || each > '~')) {
      throw new Failed(
          Kind.WRONG_REQUEST, "the operator token has characters that no header may have");
    }
    return known;
  }

  /** Returns the operator token; empty if none was given. */
  private String token() {
    return (token == null ? environment.getOrDefault(TOKEN, "") : token).strip();
  }

  private URI target(String path) throws Failed {
    return URI.create(base() + path);
  }

  private URI base() throws Failed {
    try {
      URI base = URI.create(attach.replaceFirst("/+$", ""));
      boolean http = "http".equals(base.getScheme()) || "https".equals(base.getScheme());
      if (http && base.getHost() != null && base.getUserInfo() == null) {
        return base;
      }
    } catch (IllegalArgumentException unreadable) {
      throw unusableAddress();
    }
    throw unusableAddress();
  }

  private Failed unusableAddress() {
    // without the given text, which may contain a password
    return new Failed(
        Kind.WRONG_REQUEST, "--attach is expected to be a URL such as http://127.0.0.1:8081");
  }

  /** Returns the reason for which there was no answer, in one line. */
  private Failed failed(IOException why) throws Failed {
    return new UnreachableAddress(base()).failure(why);
  }

  private static int status(HttpURLConnection connection) throws IOException {
    try {
      int status = connection.getResponseCode();
      if (status < 0) {
        throw new IOException("the answer is not HTTP");
      }
      return status;
    } catch (HttpRetryException refused) {
      return refused.responseCode(); // Java's client would have to repeat it with a password
    }
  }

  private static ServerAnswer received(HttpURLConnection connection) throws IOException {
    ServerAnswer head = head(connection);
    try (InputStream from =
        head.good() ? connection.getInputStream() : connection.getErrorStream()) {
      String text = from == null ? "" : new String(from.readAllBytes(), StandardCharsets.UTF_8);
      return new ServerAnswer(head.status(), head.headers(), text);
    }
  }

  private static ServerAnswer head(HttpURLConnection connection) throws IOException {
    return new ServerAnswer(status(connection), connection::getHeaderField, "");
  }

  private Answer answer(ServerAnswer received) throws Failed {
    checkPlace(received);
    JsonNode body;
    try {
      body = CommandJson.read(received.text().isBlank() ? "{}" : received.text());
    } catch (JacksonException unreadable) {
      throw elsewhere(received);
    }
    if (received.good()) {
      String link = received.header("Link");
      return new Answer(body, link.contains("rel=\"next\""));
    }
    String detail = body.path("detail").asString("");
    String why = detail.isEmpty() ? "it answered with status " + received.status() : detail;
    throw new Failed(kind(received.status()), why);
  }

  private static Kind kind(int status) {
    return switch (status) {
      case BAD_REQUEST -> Kind.WRONG_REQUEST;
      case NOT_FOUND -> Kind.MISSING;
      default -> Kind.FAILED;
    };
  }

  /** Throws unless an answer has the headers of an operator port that lets this client in. */
  private void checkPlace(ServerAnswer received) throws Failed {
    String challenge = received.header("WWW-Authenticate");
    boolean ofGateway =
        !received.header("x-penstock-endpoint").isEmpty()
            || !received.header("x-penstock-reason").isEmpty()
            || challenge.contains("realm=\"penstock\"");
    if (ofGateway) {
      throw new Failed(
          Kind.WRONG_PLACE,
          attach
              + " is the port of a gateway for its clients: --attach takes its operator port, which"
              + " is 8081 unless --operator-port or management.server.port says otherwise");
    }
    if (received.status() == UNAUTHORIZED && challenge.contains("realm=\"operator\"")) {
      throw new Failed(
          Kind.WRONG_TOKEN,
          token().isEmpty()
              ? "the operator port asks for a token: give --token, or set " + TOKEN
              : "the operator port refuses the token: give its own with --token, or set " + TOKEN);
    }
    if (!received.fits()) {
      throw elsewhere(received);
    }
  }

  /** Returns the failure of a request that something other than an operator port has answered. */
  private Failed elsewhere(ServerAnswer received) {
    String type = received.header("Content-Type");
    return new Failed(
        received.status() / 100 == 5 ? Kind.FAILED : Kind.WRONG_PLACE,
        attach
            + " is no operator port of a gateway: a server there answers with status "
            + received.status()
            + (type.isEmpty() ? " and no content" : " and content of type " + type));
  }

  /** Returns a name encoded as a path segment or as the value of a query parameter. */
  static String encoded(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
