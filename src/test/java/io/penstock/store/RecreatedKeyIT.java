package io.penstock.store;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.MariaDb;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a key finds spent that is created again, in the store of keys or in a route file. */
class RecreatedKeyIT {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final String PERMITS =
      "endpoints: [{path: /a, algorithm: none}, {path: /b, algorithm: none}]";

  @TempDir private Path directory;

  @BeforeEach
  void awaitLongDay() {
    PatientWaits.awaitLongDay(); // budgets of a day are spent
  }

  private static void operator(StartedGateway gateway, String method, String path, String json)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.operatorPort() + path))
            .method(method, HttpRequest.BodyPublishers.ofString(json))
            .build();
    HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isLessThan(300);
  }

  /** Creates the key k, which may use 1,000 tokens a day, and returns its secret. */
  private static String create(StartedGateway gateway, String sharing) throws Exception {
    String secret = KeySecrets.make();
    operator(
        gateway,
        "POST",
        "/keys",
        "{\"name\":\"k\",\"sha256\":\"%s\",\"budget_tokens_per_day\":1000,\"sharing\":\"%s\"}"
            .formatted(KeySecrets.sha256(secret), sharing));
    return secret;
  }

  private static String create(StartedGateway gateway) throws Exception {
    return create(gateway, "local");
  }

  private static void revoke(StartedGateway gateway) throws Exception {
    operator(gateway, "DELETE", "/keys/k", "");
  }

  private static String spend(StartedGateway gateway, String secret, int tokens) {
    return gateway.gateway("GET /b?tokens=" + tokens, "x-penstock-key: " + secret);
  }

  private static void assertSpends(StartedGateway gateway, String secret, int tokens) {
    assertThat(spend(gateway, secret, tokens)).startsWith("HTTP/1.1 200");
  }

  private static void assertUsedUp(StartedGateway gateway, String secret) {
    assertThat(spend(gateway, secret, 1)).startsWith("HTTP/1.1 429").contains("key_budget");
  }

  private static void await30Seconds(ThrowingRunnable check) {
    await().untilAsserted(check);
  }

  /** Starts two instances with one store of keys; {@code NAME} in an argument is their name. */
  private List<StartedGateway> startTwo(String... arguments) throws Exception {
    String database = MariaDb.url(MariaDb.database(), MariaDb.port());
    List<StartedGateway> both = new ArrayList<>();
    for (String name : List.of("one", "other")) {
      List<String> all = new ArrayList<>();
      Stream.of(arguments).map(each -> each.replace("NAME", name)).forEach(all::add);
      all.add("--penstock.keys.store=sql");
      all.add("--penstock.database.url=" + database);
      Path files = Files.createDirectory(directory.resolve(name));
      both.add(StartedGateway.start(files, PERMITS, all.toArray(String[]::new)));
    }
    return both;
  }

  private List<StartedGateway> startTwo(RedisServer redis, String namespace) throws Exception {
    return startTwo(
        "--penstock.redis.url=" + redis.url(), "--penstock.redis.namespace=" + namespace);
  }

  private static void awaitRemaining(StartedGateway gateway, String secret, int tokens) {
    await30Seconds(
        () ->
            assertThat(gateway.gateway("GET /v1/penstock/status", "x-penstock-key: " + secret))
                .containsPattern("\"remaining\":" + tokens + "[,}]"));
  }

  /** Spends 600 tokens at one instance and 400 at the other, and then none are left. */
  private static void spendsAll(StartedGateway one, StartedGateway other, String secret) {
    awaitRemaining(one, secret, 1_000);
    assertSpends(one, secret, 600);
    awaitRemaining(other, secret, 400);
    assertSpends(other, secret, 400);
    assertUsedUp(other, secret);
    awaitRemaining(one, secret, 0);
    assertUsedUp(one, secret);
  }

  @Test
  void keyRevokedAndCreatedAgain_hasItsFullLimitOnAllInstancesTogether() throws Exception {
    RedisServer redis = RedisServer.shared();
    String namespace = "again-" + UUID.randomUUID();
    List<StartedGateway> both = startTwo(redis, namespace);
    try {
      StartedGateway one = both.getFirst();
      StartedGateway other = both.getLast();
      String first = create(one, "eventual");
      spendsAll(one, other, first);
      revoke(other);
      String second = create(other, "eventual");
      spendsAll(one, other, second);
      assertThat(spend(one, first, 1)).startsWith("HTTP/1.1 401");
      assertThat(told(redis, namespace).split(" "))
          .anyMatch(each -> each.startsWith("key/k/tokens:"))
          .anyMatch(each -> each.matches("key/k%40\\d{13}/tokens:.*"));
    } finally {
      both.forEach(StartedGateway::close);
    }
  }

  @Test
  void keyRevokedAndCreatedAgain_hasItsFullLimitInAllRegionsTogether() throws Exception {
    List<StartedGateway> both = startTwo("--penstock.region.name=NAME");
    try {
      String first = create(both.getFirst(), "exact");
      spendsAll(both.getFirst(), both.getLast(), first);
      revoke(both.getLast());
      String second = create(both.getLast(), "exact");
      spendsAll(both.getFirst(), both.getLast(), second);
    } finally {
      both.forEach(StartedGateway::close);
    }
  }

  /** Spends 100 tokens at a time, at both instances, until it could do so {@code times}. */
  private static void spendsHundreds(List<StartedGateway> both, String secret, int times) {
    AtomicInteger spent = new AtomicInteger();
    await30Seconds(
        () -> {
          for (StartedGateway each : both) {
            if (spend(each, secret, 100).startsWith("HTTP/1.1 200")) {
              spent.incrementAndGet();
            }
          }
          assertThat(spent).hasValueGreaterThanOrEqualTo(times);
        });
    assertThat(spent).hasValueLessThanOrEqualTo(10);
  }

  /** A slow machine loses what is granted too late, so the test does not ask for all of it. */
  @Test
  void keyWithAnExactLimitRevokedAndCreatedAgain_spendsMoreThanItLeft() throws Exception {
    List<StartedGateway> both = startTwo(RedisServer.shared(), "exact-" + UUID.randomUUID());
    try {
      String first = create(both.getFirst(), "exact");
      spendsHundreds(both, first, 6);
      revoke(both.getLast());
      String second = create(both.getLast(), "exact");
      spendsHundreds(both, second, 6);
    } finally {
      both.forEach(StartedGateway::close);
    }
  }

  private static String told(RedisServer redis, String namespace) {
    return redis.command(
        "EVAL",
        "return table.concat(redis.call('HKEYS', KEYS[1]), ' ')",
        "1",
        namespace + ":instances:0:told");
  }

  private StartedGateway start(String routes) {
    return StartedGateway.start(
        directory,
        routes,
        "--penstock.keys.store=file:" + directory.resolve("keys.db"),
        "--penstock.state.file=" + directory.resolve("state.yaml"));
  }

  @Test
  void keyRevokedAndCreatedAgain_keepsOnlyWhatItSpentItself_afterARestart() throws Exception {
    String first;
    String second;
    try (StartedGateway gateway = start(PERMITS)) {
      first = create(gateway);
      assertSpends(gateway, first, 1_000);
    }
    try (StartedGateway gateway = start(PERMITS)) {
      assertUsedUp(gateway, first);
      revoke(gateway);
      second = create(gateway);
      assertSpends(gateway, second, 700);
    }
    try (StartedGateway gateway = start(PERMITS)) {
      assertSpends(gateway, second, 300);
      assertUsedUp(gateway, second);
      assertThat(gateway.operator("GET /usage?group_by=key")).contains("\"key\":\"k\"", "2000");
    }
  }

  @Test
  void requestThatWaitsWhileItsKeyIsReplaced_endsAndTakesNothingFromTheNextKey() throws Exception {
    try (StartedGateway gateway = start(PERMITS)) {
      String first = create(gateway);
      operator(gateway, "PATCH", "/keys/k", "{\"concurrency\":1,\"on_limit\":\"reject\"}");
      assertSpends(gateway, first, 1); // from now on this instance has the permit
      operator(gateway, "POST", "/endpoints/pause?path=/a", "");
      try (Socket waiting =
          StartedGateway.open(gateway.port(), "GET /a?tokens=600", "x-penstock-key: " + first)) {
        await()
            .until(() -> gateway.operator("GET /endpoints?path=/a").contains("\"queue_depth\":1"));
        assertThat(spend(gateway, first, 1)).contains("key_concurrency");
        operator(gateway, "DELETE", "/keys/k?requests=keep-waiting", "");
        String second = create(gateway);
        assertSpends(gateway, second, 999);
        operator(gateway, "POST", "/endpoints/resume?path=/a", "");
        try (BufferedReader answer = StartedGateway.lines(waiting)) {
          assertThat(answer.readLine()).startsWith("HTTP/1.1 200");
        }
        assertSpends(gateway, second, 1);
        assertUsedUp(gateway, second);
      }
    }
  }

  private static String withKey(String secret) {
    String other = "  - {name: other, sha256: %s}\n".formatted(KeySecrets.sha256("other"));
    String key =
        "  - {name: k, sha256: %s, budget_tokens_per_day: 1000}\n"
            .formatted(KeySecrets.sha256(secret));
    return "keys:\n" + other + key + PERMITS;
  }

  private static String withoutKey() {
    return "keys: [{name: other, sha256: %s}]\n".formatted(KeySecrets.sha256("other")) + PERMITS;
  }

  private void reload(StartedGateway gateway, String routes) throws Exception {
    StartedGateway.write(directory, routes);
    operator(gateway, "POST", "/reload", "");
  }

  @Test
  void keyOfARouteFileRemovedAndAddedAgain_keepsWhatItSpent() throws Exception {
    try (StartedGateway gateway = start(withKey("first"))) {
      assertSpends(gateway, "first", 400);
      reload(gateway, withoutKey());
      assertThat(spend(gateway, "first", 1)).startsWith("HTTP/1.1 401");
      reload(gateway, withKey("second"));
      assertSpends(gateway, "second", 300);
      reload(gateway, withoutKey());
    }
    try (StartedGateway gateway = start(withoutKey())) {
      assertThat(spend(gateway, "second", 1)).startsWith("HTTP/1.1 401");
    }
    try (StartedGateway gateway = start(withKey("third"))) {
      assertSpends(gateway, "third", 300);
      assertUsedUp(gateway, "third");
    }
  }
}
