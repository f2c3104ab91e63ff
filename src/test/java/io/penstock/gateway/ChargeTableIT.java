package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.CostDimension;
import io.penstock.cost.LimitMeasure;
import io.penstock.dispatch.TicketFate;
import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.key.ApiCaller;
import io.penstock.key.KeyRegistry;
import io.penstock.model.ModelQuotas;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.suite.TaggedTests;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tests that each end of a call costs what the table in the documentation says, in the limits and
 * in the ledger. The cells of the table are the cases of the test.
 */
@Tag(TaggedTests.READS_LOG)
@Isolated("reads the log of the JVM")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class ChargeTableIT {
  private static final Path PAGE = Path.of("src/docs/limits.md");
  private static final String HEAD = "| the last call ended with |";
  private static final String KEY_LIMITS =
      "rpm: 100000, tpm: 10000000, rpd: 100000, budget_tokens_per_day: 10000000";
  private static final String WAIT = "-mix-wait";
  private static final String REJECT = "-mix-reject";

  /** Charges whose cases have keys that wait; the keys of the others reject. */
  private static final Set<ChargeRule> WAITING =
      Set.of(ChargeRule.TOTAL, ChargeRule.OPENAI, ChargeRule.GEMINI);

  private static final String MODEL = "claude-sonnet-4-5";
  private static final int STATED_INPUT = 400;
  private static final int CACHED = 150;
  private static final int STATED_OUTPUT = 40;
  private static final int MOST = 3_000;
  private static final String SEEN = "x".repeat(64);
  private static final long SEEN_OUTPUT = 16;
  private static final String EVENT =
      "data: {\"choices\":[{\"delta\":{\"content\":\"" + SEEN + "\"}}]}\n\n";
  private static final String EVENTS_HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

  /** End of a call, which is one row of the table. */
  private enum End {
    STATED("2xx that states its usage", STATED_OUTPUT),
    UNSTATED("2xx without usage", SEEN_OUTPUT),
    BROKEN_OFF("2xx that breaks off, or stalls for `stall_timeout`", SEEN_OUTPUT),
    LEFT_WITHIN("2xx, and the client left before its end", SEEN_OUTPUT),
    REFUSED("400, 401, 403, 404, 413, 422, or any status below 500 that is named nowhere else", 0),
    REJECTED("429, 503, 529", 0),
    FAILED("408, 500, 502, 504, or any other status from 500 on", 0),
    UNCONNECTED(
        "no connection: refused, not trusted, unknown host, or none within `connect_timeout`", 0),
    UNANSWERED("a connection that broke after the request was written", 0),
    LATE("no byte within `first_byte_timeout`", 0),
    LEFT_WAITING("nothing: the client left while its request waited", 0),
    LEFT_SENT("nothing: the client left after its request was written", 0);

    final String row;
    final long output;

    End(String row, long output) {
      this.row = row;
      this.output = output;
    }

    /** Returns the statuses to be tried: those of its row, and two that the row only describes. */
    List<Integer> statuses() {
      List<Integer> statuses = new ArrayList<>();
      if (this == REFUSED || this == REJECTED || this == FAILED) {
        Pattern.compile("\\b[1-9][0-9]{2}\\b")
            .matcher(row.replaceAll("any .*", ""))
            .results()
            .map(MatchResult::group)
            .map(Integer::valueOf)
            .forEach(statuses::add);
      }
      if (this == REFUSED) {
        statuses.addAll(List.of(307, 409));
      }
      if (this == FAILED) {
        statuses.add(520);
      }
      return statuses.isEmpty() ? List.of(200) : statuses;
    }
  }

  /**
   * One call: an end, with a status, at an upstream with a charge. Calls of a mix have one key,
   * which is charged as the name of the mix says; all others have a key each.
   */
  record Case(End end, int status, ChargeRule charge, String mix) {
    String id() {
      return (end + "-" + status + "-" + charge + mix).toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String key() {
      return mix.isEmpty() ? id() : mix.substring(1);
    }

    String model() {
      return MODEL + mix;
    }

    String ask() {
      boolean streams = end == End.BROKEN_OFF || end == End.LEFT_WITHIN;
      return "{\"model\":\"%s\",\"stream\":%s,\"max_tokens\":%d,\"messages\":[%s]}"
          .formatted(
              model(),
              streams,
              MOST,
              "{\"role\":\"user\",\"content\":\"%s\"}".formatted("words ".repeat(200)));
    }

    String target() {
      return "/" + id() + "/v1/chat/completions";
    }
  }

  /** A cell of the table: what stays of a request. */
  record Cell(long requests, String tokens) {
    static Cell of(String text) {
      String[] parts = text.split(" · ", -1);
      return new Cell(Long.parseLong(parts[0]), parts[1]);
    }

    /** Returns the sum that the cell describes. */
    long sum(Map<String, Long> amounts) {
      long sum = 0;
      for (String term : tokens.split(" \\+ ", -1)) {
        String[] factors = term.split(" ", -1);
        String name = factors[factors.length - 1];
        long factor = factors.length == 1 ? 1 : Long.parseLong(factors[0]);
        sum += factor * (name.equals("0") ? 0 : Objects.requireNonNull(amounts.get(name), name));
      }
      return sum;
    }
  }

  private final Map<String, Map<String, Cell>> table = table();
  private final Map<String, Cost> costs = new ConcurrentHashMap<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private final RawUpstream upstream = RawUpstream.start(this::serve);
  private RunningGateway gateway;

  /** Returns the cells by row and by column. */
  private static Map<String, Map<String, Cell>> table() {
    List<String> lines;
    try {
      lines = Files.readAllLines(PAGE);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    int head = 0;
    while (!lines.get(head).startsWith(HEAD)) {
      head++;
    }
    List<String> columns = cells(lines.get(head));
    Map<String, Map<String, Cell>> table = new LinkedHashMap<>();
    for (int at = head + 2; lines.get(at).startsWith("|"); at++) {
      List<String> cells = cells(lines.get(at));
      Map<String, Cell> row = new LinkedHashMap<>();
      for (int column = 1; column < columns.size(); column++) {
        for (String name : columns.get(column).replace("`", "").split(", ", -1)) {
          row.put(name, Cell.of(cells.get(column)));
        }
      }
      table.put(cells.getFirst(), row);
    }
    return table;
  }

  private static List<String> cells(String line) {
    return Stream.of(line.substring(2, line.length() - 2).split(" \\| ", -1))
        .map(String::strip)
        .toList();
  }

  static Stream<Case> cases() {
    return cases("");
  }

  private static Stream<Case> cases(String mix) {
    return Stream.of(End.values())
        .flatMap(end -> end.statuses().stream().flatMap(status -> charges(end, status, mix)));
  }

  private static Stream<Case> charges(End end, int status, String mix) {
    return Stream.of(ChargeRule.values())
        .filter(charge -> charge != ChargeRule.WHOLE) // of keys that are charged at arrival
        .map(charge -> new Case(end, status, charge, mix));
  }

  private static List<Case> all() {
    return Stream.of("", WAIT, REJECT).flatMap(ChargeTableIT::cases).toList();
  }

  @BeforeAll
  void start() {
    Map<String, String> keys = new LinkedHashMap<>();
    StringBuilder endpoints = new StringBuilder("endpoints:\n");
    for (Case each : all()) {
      // keys of both kinds are charged alike in the end
      boolean waits =
          each.mix().isEmpty() ? WAITING.contains(each.charge()) : each.mix().equals(WAIT);
      String kind = waits ? "wait" : "reject";
      keys.put(
          each.key(),
          "  - {name: %s, sha256: %s, group: g-%s, on_limit: %s, %s}\n"
              .formatted(
                  each.key(), KeyedRequestsIT.sha256(each.key()), each.key(), kind, KEY_LIMITS));
      endpoints.append(endpoint(each));
    }
    StringBuilder routes = new StringBuilder("keys:\n").append(String.join("", keys.values()));
    routes.append("groups:\n");
    keys.keySet()
        .forEach(key -> routes.append("  - {name: g-%s, %s}\n".formatted(key, KEY_LIMITS)));
    routes.append("models:\n");
    Stream.of(WAIT, REJECT)
        .forEach(
            mix -> routes.append("  %s%s: {rpm: 1000000, tpm: 100000000}\n".formatted(MODEL, mix)));
    gateway =
        RunningGateway.start(
            routes.append(endpoints).toString(), Duration.ofHours(1), PassingJudge.ARGUMENT);
    gateway
        .bean(EventBus.class)
        .subscribe(
            event -> {
              if (event instanceof Event.Released released) {
                costs.put(released.endpoint(), released.cost());
              }
            });
  }

  private String endpoint(Case each) {
    String url =
        each.end() == End.UNCONNECTED
            ? "http://127.0.0.1:" + RunningGateway.freePort()
            : upstream.url() + "/" + each.id();
    return """
      - path: /%s
        dialect: openai
        algorithm: token_window
        tokens_per_window: 10000000
        window_seconds: 3600
        upstreams:
          - {id: %s, url: "%s", charge: %s, models: [%s], rpm: 100000, tpm: 10000000,
             itpm: 10000000, otpm: 10000000, inject_usage: false, first_byte_timeout: %s}
    """
        .formatted(
            each.id(),
            each.id(),
            url,
            each.charge().name().toLowerCase(Locale.ROOT),
            each.model(),
            each.end() == End.LATE ? "0.2" : "60");
  }

  @AfterEach
  void drain() {
    upstream.drain();
  }

  @AfterAll
  void stop() {
    over.countDown();
    gateway.close();
    upstream.close();
  }

  private void serve(RawUpstream self, ByteSocket socket) throws InterruptedException {
    HttpMessage request = self.read(socket);
    String id = request.start().split("/", 3)[1];
    Case served = all().stream().filter(each -> each.id().equals(id)).findFirst().orElseThrow();
    switch (served.end()) {
      case STATED ->
          socket.send(
              answer(
                  200,
                  "{\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d,\"total_tokens\":%d,"
                          .formatted(STATED_INPUT, STATED_OUTPUT, STATED_INPUT + STATED_OUTPUT)
                      + "\"prompt_tokens_details\":{\"cached_tokens\":%d}}}".formatted(CACHED)));
      case UNSTATED ->
          socket.send(answer(200, "{\"choices\":[{\"message\":{\"content\":\"" + SEEN + "\"}}]}"));
      case BROKEN_OFF -> socket.send(EVENTS_HEAD).chunk(EVENT);
      case LEFT_WITHIN -> {
        socket.send(EVENTS_HEAD).chunk(EVENT);
        over.await();
      }
      case REFUSED, REJECTED, FAILED ->
          socket.send(answer(served.status(), "{\"error\":{\"message\":\"no\"}}"));
      case UNANSWERED -> socket.reset();
      case LATE, LEFT_SENT -> over.await();
      case UNCONNECTED, LEFT_WAITING -> throw new AssertionError("served: " + served);
    }
  }

  private static String answer(int status, String body) {
    return "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nConnection: close\r\n%s%s\r\n\r\n%s"
        .formatted(status, "Content-Length: ", body.length(), body);
  }

  @BeforeEach
  void awaitLongDay() {
    PatientWaits.awaitLongDay(); // budgets of a day are spent
  }

  @Test
  void rowsOfTheTable_areThoseThatAreTried() {
    assertThat(table.keySet())
        .containsExactlyElementsOf(Stream.of(End.values()).map(end -> end.row).toList());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void cell_isWhatLimitsKeepAndTheLedgerCounts(Case tried) throws InterruptedException {
    run(tried);
    Cost cost = costs.getOrDefault("/" + tried.id(), Cost.NO_TOKENS);
    boolean stated = tried.end() == End.STATED;
    long input = stated ? STATED_INPUT : cost.inputTokens();
    Map<String, Long> amounts =
        Map.of(
            "in",
            input,
            "new",
            stated ? input - CACHED : input,
            "out",
            tried.end().output,
            "most",
            CostDimension.STATED.of(cost));
    Map<String, Cell> row = Objects.requireNonNull(table.get(tried.end().row));

    Cell own = Objects.requireNonNull(row.get("key"));
    long ownTokens = own.sum(amounts);
    for (Quota quota : ownQuotas(tried)) {
      kept(quota.limits(), own.requests(), ownTokens);
    }
    kept(gateway.endpoint("/" + tried.id()).limits(), own.requests(), ownTokens);
    assertThat(ledger(tried)).containsExactly(own.requests(), ownTokens);

    Cell pool = Objects.requireNonNull(row.get(tried.charge().name().toLowerCase(Locale.ROOT)));
    List<MeteredLimit> limits = pool(tried);
    kept(limits, pool.requests(), pool.sum(amounts));
    Map<String, Long> inputOnly =
        Map.of("in", input, "new", amounts.get("new"), "out", 0L, "most", cost.inputTokens());
    boolean keeps = tried.charge() == ChargeRule.OPENAI || tried.charge() == ChargeRule.AZURE;
    assertThat(charged(limits, LimitMeasure.INPUT_TOKENS))
        .isEqualTo(keeps && stated ? input : pool.sum(inputOnly));
    assertThat(charged(limits, LimitMeasure.OUTPUT_TOKENS)).isEqualTo(tried.end().output);
  }

  private void run(Case tried) throws InterruptedException {
    upstream.drain(); // what is received from now on is this call
    String request =
        ByteSocket.request("POST", tried.target(), tried.ask())
            .replace("Host: penstock\r\n", "Host: a\r\nx-penstock-key: " + tried.key() + "\r\n");
    String path = "/" + tried.id();
    try (ByteSocket socket = ByteSocket.to(gateway.port())) {
      switch (tried.end()) {
        case LEFT_WAITING -> {
          gateway.endpoint(path).pause(true);
          socket.send(request);
          gateway.await(path, TicketFate.WAITING, 1);
        }
        case LEFT_SENT -> {
          socket.send(request);
          upstream.received();
        }
        case LEFT_WITHIN -> {
          socket.send(request).head();
          assertThat(socket.chunk()).isEqualTo(EVENT);
        }
        case BROKEN_OFF -> socket.send(request).awaitEnd();
        default -> {
          int status = socket.send(request).answer().status();
          int expected =
              switch (tried.end()) {
                case LATE -> 504;
                case UNCONNECTED, UNANSWERED -> 502;
                default -> tried.status();
              };
          assertThat(status).isEqualTo(expected);
        }
      }
    }
    gateway.awaitBalance();
    long over =
        gateway.count(path, TicketFate.SERVED)
            + gateway.count(path, TicketFate.REFUSED)
            + gateway.count(path, TicketFate.CANCELLED);
    assertThat(over).isEqualTo(1);
  }

  private List<Quota> ownQuotas(Case tried) {
    ApiCaller caller =
        Objects.requireNonNull(gateway.bean(KeyRegistry.class).caller(tried.key(), 0));
    List<Quota> quotas = caller.account().quotas(tried.model(), now());
    assertThat(quotas).as("of the key and of its group").hasSize(2);
    return quotas;
  }

  private List<MeteredLimit> pool(Case tried) {
    return Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find(tried.id()))
        .pool(tried.model(), now())
        .limits();
  }

  private long now() {
    return gateway.bean(Ticker.class).nanos();
  }

  private void kept(List<MeteredLimit> limits, long requests, long tokens) {
    for (MeteredLimit metered : limits) {
      long charged = metered.limit().balance(now()).charged();
      if (metered.measure() == LimitMeasure.REQUESTS) {
        assertThat(charged).as("requests").isEqualTo(requests);
      } else if (metered.measure() == LimitMeasure.TOKENS) {
        assertThat(charged).as("tokens").isEqualTo(tokens);
      }
    }
  }

  private long charged(List<MeteredLimit> limits, LimitMeasure measure) {
    return limits.stream()
        .filter(metered -> metered.measure() == measure)
        .mapToLong(metered -> metered.limit().balance(now()).charged())
        .sum();
  }

  /** Returns the requests and the tokens that the ledger counts for the key of a case. */
  private List<Long> ledger(Case tried) {
    for (JsonNode row : usage("group_by=key")) {
      if (row.path("key").asString().equals(tried.key())) {
        return List.of(
            row.path("requests").asLong(),
            row.path("input_tokens").asLong() + row.path("output_tokens").asLong());
      }
    }
    return List.of(0L, 0L);
  }

  private JsonNode usage(String query) {
    try (ByteSocket socket = ByteSocket.to(gateway.operatorPort())) {
      String request =
          "GET /usage?%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 0\r\n\r\n"
              .formatted(query, gateway.operatorPort());
      return JsonMapper.shared().readTree(socket.send(request).answer().text()).path("rows");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {WAIT, REJECT})
  void mixOfAllEnds_ledgerSumsToWhatKeyGroupAndModelKeep(String mix) throws InterruptedException {
    List<Case> mixed = cases(mix).toList();
    for (Case each : mixed) {
      run(each);
    }
    List<Long> counted = ledger(mixed.getFirst());
    assertThat(counted.getFirst()).isBetween(1L, (long) mixed.size());
    List<Quota> quotas = new ArrayList<>(ownQuotas(mixed.getFirst()));
    quotas.add(gateway.bean(ModelQuotas.class).of(MODEL + mix, now()));
    for (Quota quota : quotas) {
      kept(Objects.requireNonNull(quota).limits(), counted.getFirst(), counted.getLast());
    }
  }
}
