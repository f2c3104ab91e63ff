package io.penstock.chart;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A gateway on the loopback that answers a few requests of each kind. */
public final class TrainingRun implements AutoCloseable {
  private static final Path ROUTES = Path.of("k8s", "image", "training.yaml");
  private static final int READY_TRIES = 2_400;
  private static final int TRY_MILLIS = 100;
  private static final int END_SECONDS = 240;

  private static final String CHAT =
      """
      {"model":"gpt-4o","max_tokens":8,"stream":%b,\
      "messages":[{"role":"user","content":"Hello there"}]}\
      """;

  private static final String GEMINI =
      """
      {"contents":[{"role":"user","parts":[{"text":"Hello there"}]}],\
      "generationConfig":{"maxOutputTokens":8}}\
      """;

  /** Thrown if the gateway failed; the message contains its output. */
  public static final class Failed extends Exception {
    private static final long serialVersionUID = 1L;

    Failed(String message) {
      super(message);
    }
  }

  private final int port = freePort();
  private final int operatorPort = freePort();
  private final HttpClient client = HttpClient.newHttpClient();
  private final Path log;
  private final Process process;

  /** Starts the gateway with the environment of this process, and waits until it is ready. */
  public TrainingRun(List<String> java, Path work)
      throws IOException, InterruptedException, Failed {
    this(java, Map.of(), work);
  }

  /**
   * Starts the gateway, and waits until it is ready.
   *
   * @param program the command that runs it; its arguments are added
   * @param variables environment variables in addition to those of this process
   */
  TrainingRun(List<String> program, Map<String, String> variables, Path work)
      throws IOException, InterruptedException, Failed {
    log = Files.createTempFile(work, "run", ".log");
    List<String> command = new ArrayList<>(program);
    command.add("serve");
    command.add("--routes=" + ROUTES.toAbsolutePath());
    command.add("--host=127.0.0.1");
    command.add("--port=" + port);
    command.add("--operator-port=" + operatorPort);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(work.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(variables);
    process = builder.start();
    awaitReady();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void awaitReady() throws IOException, InterruptedException, Failed {
    for (int tries = 0; tries < READY_TRIES; tries++) {
      if (process.waitFor(TRY_MILLIS, TimeUnit.MILLISECONDS)) {
        throw failed("ended before it was ready");
      }
      if (status("/actuator/health/readiness") == 200) {
        return;
      }
    }
    close();
    throw failed("was not ready in time");
  }

  private int status(String operatorPath) throws InterruptedException {
    try {
      return get(operatorPath);
    } catch (IOException notYet) {
      return 0;
    }
  }

  private int get(String operatorPath) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(uri(operatorPort, operatorPath)).build();
    return client.send(request, HttpResponse.BodyHandlers.ofByteArray()).statusCode();
  }

  private static URI uri(int port, String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  private HttpRequest post(String path, String body) {
    return HttpRequest.newBuilder(uri(port, path))
        .header("Authorization", "Bearer training")
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  /** Sends requests of each kind; each must succeed. */
  public void ask() throws IOException, InterruptedException, Failed {
    for (boolean stream : new boolean[] {false, true}) {
      answered(post("/openai/v1/chat/completions", CHAT.formatted(stream)));
      answered(post("/anthropic/v1/messages", CHAT.formatted(stream)));
    }
    answered(post("/gemini/v1beta/models/gemini-2.5-flash:generateContent", GEMINI));
    answered(post("/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", GEMINI));
    answered(post("/window?tokens=5", "{}"));
    List<CompletableFuture<HttpResponse<Void>>> waiting = new ArrayList<>();
    for (int each = 0; each < 3; each++) {
      waiting.add(client.sendAsync(post("/permit", ""), HttpResponse.BodyHandlers.discarding()));
    }
    for (String path :
        List.of(
            "/endpoints",
            "/upstreams",
            "/config",
            "/console",
            "/openapi.json",
            "/quotas",
            "/actuator/health/liveness",
            "/actuator/prometheus")) {
      int status = get(path);
      if (status >= 400) {
        throw failed("answered GET " + path + " with " + status);
      }
    }
    for (CompletableFuture<HttpResponse<Void>> each : waiting) {
      each.join();
    }
  }

  private void answered(HttpRequest request) throws IOException, InterruptedException, Failed {
    HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw failed(
          "answered %s with %d %s"
              .formatted(request.uri().getPath(), answer.statusCode(), answer.body()));
    }
  }

  /** Stops the gateway, and waits until it has ended without an error. */
  public void end() throws IOException, InterruptedException, Failed {
    process.toHandle().destroy(); // the process itself would close its output, too
    if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
      throw failed("did not stop");
    }
    if (process.exitValue() != 0) {
      throw failed("ended with " + process.exitValue());
    }
  }

  private Failed failed(String what) throws IOException {
    return new Failed("the gateway " + what + "; it said:\n" + Files.readString(log));
  }

  @Override
  public void close() {
    process.toHandle().destroyForcibly();
    process.onExit().join();
    client.close();
  }
}
