package io.penstock.fake;

import static io.penstock.fake.RunningGateway.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.key.KeySecrets;
import io.penstock.time.WallClock;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import tools.jackson.databind.json.JsonMapper;

/** A gateway with recorded answers, and the keys that the records are made with. */
public final class GoldenGateway implements AutoCloseable {
  private static final String JSON = "Content-Type: application/json";

  private final StartedGateway gateway;
  private final Path directory;

  /** Starts with routes in which {@code SHA(NAME)} stands for the hash of the secret NAME. */
  public GoldenGateway(Path directory, String routes, String... arguments) {
    this.directory = directory;
    this.gateway = StartedGateway.start(directory, hashed(routes), arguments);
  }

  public static String hashed(String routes) {
    return java.util.regex.Pattern.compile("SHA\\(([^)]+)\\)")
        .matcher(routes)
        .replaceAll(found -> KeySecrets.sha256(found.group(1)));
  }

  public int port() {
    return gateway.port();
  }

  public int operatorPort() {
    return gateway.operatorPort();
  }

  public StableText stable() {
    return new StableText(Instant.ofEpochMilli(WallClock.system().unixMillis()))
        .name("127.0.0.1:" + port(), "GATEWAY")
        .name("127.0.0.1:" + operatorPort(), "OPERATOR")
        .name(directory.toString(), "DIRECTORY");
  }

  public Transcript transcript() {
    return new Transcript(stable());
  }

  public Endpoint endpoint(String path) {
    return Objects.requireNonNull(
        gateway.context().getBean(EndpointRegistry.class).find(path), path);
  }

  /** Sends a request that waits, and returns once it does. */
  public ByteSocket parked(String path, String request, String body, String... headers) {
    long before = waiting(path);
    ByteSocket byteSocket =
        ByteSocket.to(port()).send(Transcript.wireForm(port(), request, body, headers));
    awaiting().untilAsserted(() -> assertThat(waiting(path)).isEqualTo(before + 1));
    return byteSocket;
  }

  long waiting(String path) {
    return endpoint(path).totals().requests(TicketFate.WAITING);
  }

  /** Adds a request that waits and is answered once {@code then} has run. */
  public void parkedUntil(
      Transcript transcript,
      String path,
      String request,
      String body,
      Runnable then,
      String... headers) {
    try (ByteSocket byteSocket = parked(path, request, body, headers)) {
      then.run();
      HttpMessage answer = byteSocket.answer();
      transcript.add(request, List.of(headers), body, answer);
    }
  }

  /** Returns the number of the ticket that waits first. */
  public long ticket(String path) {
    String listed = gateway.operator("GET /tickets?path=" + path);
    String list = listed.substring(listed.indexOf("\r\n\r\n")).strip();
    return JsonMapper.shared()
        .readTree(list.substring(list.indexOf('[')))
        .get(0)
        .get("id")
        .asLong();
  }

  /**
   * Waits until a tokenizer is loaded, which begins when it is first used; until then, counts are
   * estimates.
   */
  public void awaitTokenizer(String count) {
    String ask = Transcript.wireForm(operatorPort(), "POST /tokens/count", count, JSON);
    awaiting()
        .untilAsserted(
            () -> {
              try (ByteSocket byteSocket = ByteSocket.to(operatorPort())) {
                assertThat(byteSocket.send(ask).answer().text()).contains("\"tokenizer\":true");
              }
            });
  }

  public StartedGateway started() {
    return gateway;
  }

  @Override
  public void close() {
    gateway.close();
  }
}
