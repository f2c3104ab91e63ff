package io.penstock.cli;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Asks the operator port of a gateway that runs. */
final class OperatorClient {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration ANSWER = Duration.ofSeconds(30);
  private static final String TOKEN = "PENSTOCK_OPERATOR_TOKEN";

  /** It did not do what it was asked; the message says why, in one line. */
  static final class Failed extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean asked;

    private Failed(String message, boolean asked) {
      super(message, null, false, false);
      this.asked = asked;
    }

    /** Returns whether it was what was asked that was wrong. */
    boolean asked() {
      return asked;
    }
  }

  /**
   * What it answered.
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

  /** Asks for {@code path}, with a body of JSON where there is one. */
  Answer ask(String method, String path, @Nullable Object body) throws Failed {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(target(path))
            .timeout(ANSWER)
            .header("Accept", "application/json, application/problem+json")
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(
                        JsonMapper.shared().writeValueAsString(body)));
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    String known = token == null ? environment.getOrDefault(TOKEN, "") : token;
    if (!known.isBlank()) {
      try {
        request.header("Authorization", "Bearer " + known.strip());
      } catch (IllegalArgumentException unfit) {
        throw new Failed("the operator token has characters that no header may have", true);
      }
    }
    return read(send(request.build()));
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

  private HttpResponse<String> send(HttpRequest request) throws Failed {
    try (HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT).build()) {
      return client.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (HttpTimeoutException late) {
      throw new Failed("no answer from " + attach + " in time", false);
    } catch (IOException unreachable) {
      throw new Failed(
          "nobody answers at "
              + attach
              + ": is the gateway running, and --attach its operator port?",
          false);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new Failed("interrupted", false);
    }
  }

  private Answer read(HttpResponse<String> response) throws Failed {
    int status = response.statusCode();
    JsonNode body = parsed(response.body());
    if (status / 100 == 2) {
      boolean more = response.headers().firstValue("Link").orElse("").contains("rel=\"next\"");
      return new Answer(body, more);
    }
    if (status == 401) {
      throw new Failed("the operator port refuses the token: give --token, or set " + TOKEN, false);
    }
    String detail = body.path("detail").asString("");
    String why = detail.isEmpty() ? "it answered with status " + status : detail;
    throw new Failed(why, status == 400);
  }

  private JsonNode parsed(String text) throws Failed {
    try {
      return JsonMapper.shared().readTree(text.isBlank() ? "{}" : text);
    } catch (JacksonException other) {
      throw new Failed(attach + " is no operator port of a gateway", false);
    }
  }

  /** Returns a name as a segment of a path, or as the value of a parameter. */
  static String encoded(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
