package io.penstock.recipe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.GatewayServer;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A gateway that runs the route file of a recipe. The hosts of its upstreams are replaced by one
 * server of the test, which finds the host at the beginning of the path; nothing else is changed.
 */
final class RecipeGateway implements AutoCloseable {
  /** An answer of OpenAI's dialect that states its usage. */
  static final String CHAT = chat(20, 10);

  /** The window of limits a minute: a fifth of one, so that requests which wait go soon. */
  private static final Duration WINDOW = Duration.ofSeconds(12);

  private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Z0-9_]+)}");
  private static final Pattern HOST = Pattern.compile("url: https?://([^/\\s]+)");

  private final RawUpstream provider;
  private final StartedGateway gateway;
  private final HttpClient client = HttpClient.newHttpClient();

  private RecipeGateway(RawUpstream provider, StartedGateway gateway) {
    this.provider = provider;
    this.gateway = gateway;
  }

  /** Starts the recipe of this name; {@code answers} are the bodies of its providers. */
  static RecipeGateway start(Path directory, String name, Function<HttpMessage, String> answers)
      throws IOException {
    RawUpstream provider =
        RawUpstream.start((upstream, socket) -> socket.send(answers.apply(upstream.read(socket))));
    return new RecipeGateway(provider, run(directory, provider, file(name)));
  }

  private static StartedGateway run(Path directory, RawUpstream provider, Path file)
      throws IOException {
    String shipped = Files.readString(file);
    Path written = Files.writeString(directory.resolve("routes.yaml"), routes(shipped, provider));
    GatewayServer.Start start =
        GatewayServer.start(
            variables(shipped), written, WINDOW, "--server.port=0", "--management.server.port=0");
    if (start instanceof GatewayServer.Started(ConfigurableApplicationContext context)) {
      return StartedGateway.of(context);
    }
    throw new AssertionError(file + " did not start: " + start);
  }

  /** Returns shipped routes, with the server of a test in the place of all hosts. */
  static String routes(String shipped, RawUpstream provider) {
    String routes =
        HOST.matcher(shipped)
            .replaceAll(host -> "url: " + provider.url() + "/" + host.group(1).replace(':', '-'));
    assertThat(routes).isNotEqualTo(shipped);
    return routes;
  }

  /** Returns the route file of a recipe. */
  static Path file(String name) {
    return Path.of("routes", "recipes", name + ".yaml");
  }

  /** Returns a value for each environment variable that a route file takes. */
  static Map<String, String> variables(String routes) {
    Map<String, String> variables = new HashMap<>();
    Matcher matcher = VARIABLE.matcher(routes);
    while (matcher.find()) {
      String name = matcher.group(1);
      String value = name.toLowerCase(Locale.ROOT).replace('_', '-');
      boolean digest = name.endsWith("_SHA256");
      variables.put(name, digest ? KeySecrets.sha256(secret(value.replace("-sha256", ""))) : value);
    }
    return variables;
  }

  /** Returns the secret of a key. */
  static String secret(String key) {
    return "secret-of-" + key;
  }

  /** Returns an answer of OpenAI's dialect with a usage. */
  static String chat(long input, long output) {
    String body =
        """
        {"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,\
        "message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}],\
        "usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}\
        """
            .formatted(input, output, input + output);
    return answer("200 OK", body);
  }

  /** Returns an answer with a JSON body. */
  static String answer(String status, String body) {
    return "HTTP/1.1 %s\r\nContent-Type: application/json\r\nConnection: close\r\n"
            .formatted(status)
        + "Content-Length: %d\r\n\r\n%s".formatted(body.getBytes(UTF_8).length, body);
  }

  /** Returns the host to which a request would have gone. */
  static String host(HttpMessage received) {
    return received.target().split("/", 3)[1];
  }

  /** Returns the next request that a provider got. */
  HttpMessage received() {
    return provider.received();
  }

  /** Returns a chat in OpenAI's dialect. */
  static String ask(String model, int maxTokens) {
    return """
    {"model":"%s","max_tokens":%d,"messages":[{"role":"user","content":"Hello"}]}\
    """
        .formatted(model, maxTokens);
  }

  /** Sends a body to a path, as the holder of a key. */
  CompletableFuture<HttpResponse<String>> post(
      String path, String key, String body, String... headers) {
    HttpRequest.Builder request = request(path, key);
    request.header("Content-Type", "application/json");
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request.POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  /** Asks for a path, as the holder of a key. */
  CompletableFuture<HttpResponse<String>> get(String path, String key) {
    return send(request(path, key));
  }

  private HttpRequest.Builder request(String path, String key) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + path))
        .header("Authorization", "Bearer " + secret(key));
  }

  private CompletableFuture<HttpResponse<String>> send(HttpRequest.Builder request) {
    return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Waits until the operator port says something of an endpoint. */
  void await(String path, String said) {
    PatientWaits.await()
        .untilAsserted(() -> assertThat(operator("GET /endpoints?path=" + path)).contains(said));
  }

  /** Asks the operator port. */
  String operator(String request) {
    return gateway.operator(request);
  }

  @Override
  public void close() {
    client.close();
    gateway.close();
    provider.close();
  }
}
