package io.penstock.cli;

import static io.penstock.cli.NightPage.Answered.PROMETHEUS;
import static io.penstock.cli.NightPage.Answered.THIS_INSTANCE;
import static io.penstock.cli.NightPage.Answered.YES;
import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.ServeCommand;
import io.penstock.chart.HelmChart;
import io.penstock.cli.NightPage.Answered;
import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.fake.GoldenGateway;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.MetricsScrape;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.PromQl;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RedisServer;
import io.penstock.fake.StableText;
import io.penstock.fake.StartedGateway;
import io.penstock.mock.MockAddress;
import io.penstock.time.WallClock;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Asks running gateways what operators ask at night, and compares with the page of answers. */
@Tag(GoldenRecords.TAG)
class NightQuestionsIT {
  private static final String TOKEN = "a-long-token-of-nina";
  private static final String FIRST = "http://127.0.0.1:8081";
  private static final String SECOND = "http://127.0.0.1:8082";
  private static final String THIS_MONTH = "\"$(date -u +%Y-%m-01)\"";

  private static final String ROUTES =
      """
      defaults: {calls: weighed}
      models: {gpt: {price_per_mtok: {input: 1000, output: 4000}}}
      groups: [{name: research, budget_tokens_per_month: 10_000}]
      keys:
        - {name: alice, sha256: SHA(alice), group: research, budget_tokens_per_day: 100, on_limit: reject}
        - {name: bob, sha256: SHA(bob), group: research, rpm: 600}
        - {name: carol, sha256: SHA(carol), concurrency: 1}
        - {name: dora, sha256: SHA(dora), tpm: 100_000, sharing: local}
      endpoints:
        - path: /chat
          dialect: openai
          upstreams: [{id: fast, url: "mock://openai?tokens=20&latency=1ms", rpm: 6000}]
        - path: /batch
          dialect: openai
          upstreams: [{id: slow, url: "mock://openai?latency=30m", concurrency: 1}]
        - path: /carol
          dialect: openai
          upstreams: [{id: long, url: "mock://openai?latency=30m"}]
        - path: /dead
          dialect: openai
          upstreams: [{id: dead, url: "http://127.0.0.1:DEAD"}]
        - path: /paused
          dialect: openai
          order: first_fit
          upstreams:
            - {id: eu, url: "mock://openai?tokens=5&latency=1ms"}
            - {id: us, url: "mock://openai?tokens=5&latency=2ms"}
        - path: /low
          dialect: openai
          upstreams: [{id: low, url: "mock://openai?rpm=40&latency=1ms", rpm: 60}]
        - path: /keyed
          dialect: openai
          upstreams: [{id: keyed, url: "http://127.0.0.1:KEYED", api_key: "${file:provider.key}"}]
        - {path: /report, rate: 1, unit: rpm, sharing: local}
        - {path: /held, rate: 1000}
      """;

  private static final String BODY =
      "{\"id\":\"c\",\"object\":\"chat.completion\",\"model\":\"gpt\",\"choices\":[],"
          + "\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1,\"total_tokens\":6}}";
  private static final String ANSWER =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
          + BODY.length()
          + "\r\nConnection: close\r\n\r\n"
          + BODY;

  /** A time of day, or how long something took, in words. */
  private static final Pattern TIME =
      Pattern.compile(
          "\\b(?:\\d\\d:\\d\\d:\\d\\d|\\d+ms|\\d+\\.\\ds|\\d+m\\d\\ds|\\d+h\\d\\dm|\\d+[mhd])\\b");

  @TempDir private Path directory;
  private final NightPage page = new NightPage();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<StartedGateway> started = new ArrayList<>();
  private StartedGateway first;
  private StartedGateway second;
  private RedisServer redis;
  private RawUpstream keyed;

  private StartedGateway start(String name, String... more) throws Exception {
    Path own = Files.createDirectories(directory.resolve(name));
    Path key = Files.writeString(own.resolve("provider.key"), "sk-old\n");
    List<String> all = new ArrayList<>(List.of(more));
    all.add("--penstock.redis.url=" + redis.url());
    all.add("--penstock.redis.on-outage=park");
    all.add("--penstock.operator.tokens.nina=" + TOKEN);
    all.add("--penstock.state.file=" + own.resolve("state.yaml"));
    String routes =
        GoldenGateway.hashed(ROUTES)
            .replace("DEAD", Integer.toString(StartedGateway.freePort()))
            .replace("KEYED", Integer.toString(keyed.port()))
            .replace("provider.key", key.toString());
    StartedGateway gateway = StartedGateway.start(own, routes, all.toArray(String[]::new));
    started.add(gateway);
    return gateway;
  }

  private CompletableFuture<HttpResponse<String>> chat(
      StartedGateway at, String path, String key, String id, boolean streams) {
    String body =
        "{\"model\":\"gpt\",\"max_tokens\":20,\"stream\":%s,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"
            .formatted(streams);
    return http.sendAsync(
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + at.port() + path + "/v1/chat/completions"))
            .header("Authorization", "Bearer " + key)
            .header("x-request-id", id)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private CompletableFuture<HttpResponse<String>> chat(String path, String key, String id) {
    return chat(first, path, key, id, false);
  }

  private CompletableFuture<HttpResponse<String>> permit(String path, String key) {
    return http.sendAsync(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + first.port() + path))
            .header("x-penstock-key", key)
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static void answers(CompletableFuture<HttpResponse<String>> answer, int status) {
    HttpResponse<String> came = PatientWaits.join(answer);
    assertThat(came.statusCode()).as(came.body()).isEqualTo(status);
  }

  private void awaits(String path, TicketFate fate, long requests) {
    EndpointRegistry registry = first.context().getBean(EndpointRegistry.class);
    await()
        .until(
            () -> Objects.requireNonNull(registry.find(path)).totals().requests(fate) == requests);
  }

  /** Runs a command line of the page, and returns what it prints. */
  private String run(String line) throws Exception {
    List<List<String>> commands = new ArrayList<>(List.of(new ArrayList<>()));
    Matcher word = Pattern.compile("'([^']*)'|(\\S+)").matcher(here(line));
    while (word.find()) {
      if ("|".equals(word.group(2))) {
        commands.add(new ArrayList<>());
      } else {
        commands.getLast().add(word.group(1) == null ? word.group(2) : word.group(1));
      }
    }
    List<String> source = commands.getFirst();
    String text = source.getFirst().equals("curl") ? curl(source) : penstock(source);
    for (List<String> filter : commands.subList(1, commands.size())) {
      text = filter.getFirst().equals("jq") ? jq(text, filter.getLast()) : grep(text, filter);
    }
    return text;
  }

  /** Returns a command line with the ports and the month of this run. */
  private String here(String line) {
    return line.replace(FIRST, "http://127.0.0.1:" + first.operatorPort())
        .replace(SECOND, "http://127.0.0.1:" + second.operatorPort())
        .replace(
            THIS_MONTH, LocalDate.ofInstant(now(), ZoneOffset.UTC).withDayOfMonth(1).toString());
  }

  private static Instant now() {
    return Instant.ofEpochMilli(WallClock.system().unixMillis());
  }

  private String penstock(List<String> words) {
    Map<String, String> environment = Map.of("PENSTOCK_OPERATOR_TOKEN", TOKEN);
    StringWriter out = new StringWriter();
    CommandLine command =
        PenstockCommands.commandLine(
            environment, MockAddress::parse, () -> Instant.EPOCH, new ServeCommand(environment));
    command.setOut(new PrintWriter(out));
    command.setErr(new PrintWriter(out));
    List<String> arguments = new ArrayList<>(words.subList(1, words.size()));
    if (arguments.stream().noneMatch(each -> each.startsWith("--attach"))) {
      arguments.add("--attach=" + here(FIRST));
    }
    int _ = command.execute(arguments.toArray(String[]::new));
    return out.toString();
  }

  private String curl(List<String> words) throws Exception {
    int data = words.indexOf("-d");
    String method = data > 0 || words.contains("POST") ? "POST" : "GET";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(words.getLast()))
            .header("Authorization", "Bearer " + TOKEN)
            .method(
                method,
                data < 0
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(words.get(data + 1)))
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  /** Returns what {@code jq -c} prints for a path with indices, names and a selection by name. */
  private static String jq(String text, String path) {
    JsonNode node = JsonMapper.shared().readTree(text);
    Matcher step =
        Pattern.compile("\\[(-?\\d+)]|select\\(\\.(\\w+)==\"(\\w+)\"\\)|(\\w+)").matcher(path);
    while (step.find()) {
      String name = step.group(2);
      String value = step.group(3);
      if (step.group(4) != null) {
        node = node.path(step.group(4));
      } else if (name != null) {
        node =
            node.valueStream()
                .filter(each -> each.path(name).asString("").equals(value))
                .findFirst()
                .orElseThrow();
      } else {
        int at = Integer.parseInt(step.group(1));
        node = node.path(at < 0 ? node.size() + at : at);
      }
    }
    return node.toString();
  }

  /** Returns the lines that {@code grep [-E] [-A LINES] PATTERN} prints. */
  private static String grep(String text, List<String> words) {
    int context = words.indexOf("-A");
    int more = context < 0 ? 0 : Integer.parseInt(words.get(context + 1));
    Pattern pattern = Pattern.compile(words.getLast(), words.contains("-E") ? 0 : Pattern.LITERAL);
    StringBuilder found = new StringBuilder();
    int left = 0;
    for (String line : text.lines().toList()) {
      left = pattern.matcher(line).find() ? more + 1 : left - 1;
      if (left > 0) {
        found.append(line).append('\n');
      }
    }
    return found.toString();
  }

  /** Returns a text in the form that is equal in every run. */
  private String stable(String text) {
    String stable =
        new StableText(now())
            .name(directory.resolve("first") + "/", "/etc/penstock/")
            .of(text)
            .replaceAll("127\\.0\\.0\\.1:\\d+", "127.0.0.1:<port>")
            .replaceAll("^\\d{5,6}$", "<ms>");
    return TIME.matcher(stable).replaceAll("<time>");
  }

  /** Asks, and adds the answer to the page. */
  private String seen(String question, Answered answered, String command) throws Exception {
    return seen(question, answered, "", command, "");
  }

  /**
   * Asks until the answer has a sign, and adds it to the page.
   *
   * @param before the words before the command
   */
  private String seen(
      String question, Answered answered, String before, String command, String sign) {
    AtomicReference<String> answer = new AtomicReference<>("");
    await()
        .until(
            () -> {
              answer.set(run(command));
              return answer.get().contains(sign);
            });
    page.add(question, before + "`" + command + "`", stable(answer.get()), answered);
    return answer.get();
  }

  /** Adds an expression for Prometheus, with the metrics that the gateway has for it. */
  private void metric(String question, String expression, String sample) throws Exception {
    MetricsScrape scrape = MetricsScrape.parse(run("curl " + FIRST + "/actuator/prometheus"));
    for (PromQl.Selector each : PromQl.of(expression).metrics()) {
      assertThat(scrape.of(each.metric()))
          .as("%s of %s", each, expression)
          .anyMatch(line -> line.labels().entrySet().containsAll(each.equal().entrySet()));
    }
    seen(
        question,
        PROMETHEUS,
        "`" + expression + "`, of metrics as in ",
        "curl " + FIRST + "/actuator/prometheus | grep '" + sample + "'",
        "");
  }

  @Test
  void answers_areThoseOfThePage() throws Exception {
    PatientWaits.awaitLongDay();
    try (RedisServer server = RedisServer.started();
        RawUpstream upstream = RawUpstream.start(RawUpstream.answering(ANSWER))) {
      redis = server;
      keyed = upstream;
      try {
        first = start("first", "--penstock.keys.store=file:" + directory.resolve("keys.db"));
        second = start("second");
        bothRun();
        String erin = sendTraffic();
        askWhatWaits();
        String rotated = change(erin);
        restart();
        askTheChart();
        redis.kill();
        askWithoutRedis(rotated);
        redis.start();
      } finally {
        http.shutdownNow();
        started.forEach(StartedGateway::close);
      }
    }
    GoldenRecords.check("../../docs/night.md", page.text());
  }

  private void bothRun() {
    for (String each : List.of(FIRST, SECOND)) {
      await().until(() -> run("curl " + each + "/instance | jq .members").equals("2"));
    }
  }

  /** Makes the fifth key, and sends what the questions are about; returns the key's secret. */
  private String sendTraffic() throws Exception {
    String made = run("penstock keys new --name=erin --sharing=local --budget=200 --rpm=1");
    String erin = made.lines().findFirst().orElseThrow();
    run("penstock pause --yes --upstream=eu");
    for (int i = 0; i < 3; i++) {
      answers(chat(first, "/chat", "bob", "bob-" + i, true), 200);
    }
    answers(chat(second, "/chat", "bob", "bob-3", false), 200);
    answers(chat("/paused", "dora", "dora-1"), 200);
    answers(chat("/keyed", "dora", "dora-3"), 200);
    assertThat(keyed.received().header("authorization")).isEqualTo("Bearer sk-old");
    for (int i = 0; i < 4; i++) {
      answers(chat("/chat", "alice", "alice-" + i), 200);
    }
    answers(chat("/chat", "alice", "alice-4"), 429);
    for (int i = 5; i < 20; i++) {
      answers(chat("/chat", "alice", "alice-" + i), 429);
    }
    answers(chat("/dead", "dora", "dead-0"), 502);
    var _ = chat("/carol", "carol", "carol-0");
    awaits("/carol", TicketFate.RUNNING, 1);
    for (int i = 0; i < 10; i++) {
      var _ = chat("/batch", "dora", "batch-" + i);
    }
    awaits("/batch", TicketFate.WAITING, 9);
    for (int i = 10; i < 15; i++) {
      var _ = chat("/batch", "carol", "batch-" + i);
    }
    awaits("/batch", TicketFate.WAITING, 14);
    for (int i = 0; i < 4; i++) {
      var _ = permit("/report", "dora");
    }
    awaits("/report", TicketFate.WAITING, 3);
    return erin;
  }

  private void askWhatWaits() throws Exception {
    String queue = "curl '" + FIRST + "/tickets?path=/report&limit=1000' | jq .[-1].expected_ms";
    seen(
        "Why do these 14 wait?",
        YES,
        "",
        "penstock status | grep -A 2 'waiting at /batch'",
        "5: as many");
    assertThat(Long.parseLong(run(queue))).isBetween(60_001L, 180_000L);
    seen("How long until the queue is empty?", YES, queue);
    String tried = "penstock status | grep 'upstream dead is'";
    await()
        .until(
            () -> {
              PatientWaits.join(chat("/dead", "dora", "dead-1"));
              String answer = run(tried);
              boolean waits = answer.contains("unhealthy") && answer.contains("next try");
              if (waits) {
                page.add("When is it tried again?", "`" + tried + "`", stable(answer), YES);
              }
              return waits;
            });
    seen("Is it the provider or we?", YES, "penstock why dead-0 | grep -E 'refused|means|can:'");
    answers(chat("/low", "dora", "dora-2"), 200);
    seen(
        "Is the provider's limit lower than ours?",
        YES,
        "",
        "curl " + FIRST + "/upstreams | jq '.[] | select(.id==\"low\") | .pools[0].limits[0]'",
        "\"used_global\":1");
  }

  private String change(String erin) throws Exception {
    answers(chat("/chat", erin, "erin-0"), 200);
    CompletableFuture<HttpResponse<String>> waits = chat("/chat", erin, "erin-1");
    awaits("/chat", TicketFate.WAITING, 1);
    seen("How do I raise a limit now?", YES, "penstock keys update erin --rpm=100");
    answers(waits, 200);
    String rotated =
        seen("How do I rotate a client's key?", YES, "penstock keys rotate erin --overlap=3600")
            .lines()
            .findFirst()
            .orElseThrow();
    answers(chat("/chat", erin, "erin-2"), 200);
    answers(chat("/chat", rotated, "erin-3"), 200);
    Files.writeString(directory.resolve("first/provider.key"), "sk-new\n");
    seen(
        "How do I rotate the provider's key?",
        YES,
        "Write it into the file that `api_key: ${file:PATH}` names, and ",
        "curl -X POST " + FIRST + "/reload",
        "applied");
    answers(chat("/keyed", "dora", "dora-4"), 200);
    assertThat(keyed.received().header("authorization")).isEqualTo("Bearer sk-new");
    Path routes = directory.resolve("first/routes.yaml");
    String good = Files.readString(routes);
    Files.writeString(routes, good.replace("unit: rpm", "unt: rpm"));
    run("curl -X POST " + FIRST + "/reload");
    seen("Was my edit taken?", YES, "penstock status | grep 'on disk'");
    Files.writeString(routes, good);
    run("curl -X POST " + FIRST + "/reload");
    assertThat(run("penstock status")).doesNotContain("on disk");
    await().until(() -> run("penstock keys show erin").contains("100 used of 200 tokens a day"));
    seen(
        "How do I give this client its budget back?",
        THIS_INSTANCE,
        "Of a budget that instances do not share: ",
        "penstock keys reset-budget erin",
        "");
    assertThat(run("penstock keys show erin")).contains("0 used of 200 tokens a day");
    return rotated;
  }

  private void restart() throws Exception {
    String usage = "penstock usage --attach=" + SECOND + " | grep -E 'KEY|bob'";
    String before = run(usage);
    second.close();
    second = start("second");
    bothRun();
    seen(
        "What does a restart do?",
        YES,
        "[Restarts](operating.md#restarts): `kill -TERM` of the second, a start, and ",
        usage,
        "bob");
    assertThat(run(usage)).isEqualTo(before);
  }

  private void askTheChart() throws Exception {
    String rendered =
        new HelmChart(directory.resolve("chart"), "{}")
            .template()
            .withName("penstock")
            .withNamespace("llm")
            .call();
    String filter = "grep -E 'maxUnavailable|maxSurge|terminationGrace'";
    page.add(
        "What does a restart do with the chart?",
        "[Upgrade](../../k8s/README.md#upgrade-and-roll-back): `helm template penstock k8s/penstock"
            + " -n llm | "
            + filter
            + "`",
        grep(rendered, List.of("grep", "-E", "maxUnavailable|maxSurge|terminationGrace")),
        YES);
  }

  private void askWithoutRedis(String erin) throws Exception {
    seen(
        "Is Redis the problem?",
        YES,
        "",
        "penstock status | grep -E 'wrong: (Redis|exact)'",
        "Redis has not been heard");
    var _ = chat("/chat", "dora", "redis-1");
    awaits("/chat", TicketFate.WAITING, 1);
    seen("Why does this request wait?", YES, "", "penstock why redis-1", "Redis has been away");
    seen("What does reason X mean?", YES, "penstock why alice-4 | grep -E 'means|client|operator'");
    seen("Why was this x-request-id refused?", YES, "penstock why alice-4 | grep -E 'refused|Why'");
    seen(
        "Who spent the budget?",
        THIS_INSTANCE,
        "penstock usage --by=group,key | grep -E 'KEY|research'");
    seen(
        "What is left of the budget of key X?",
        YES,
        "",
        "penstock keys show alice | grep 'key alice'",
        "100 used");
    seen(
        "What did team T cost this month?",
        THIS_INSTANCE,
        "penstock usage --by=group --from=" + THIS_MONTH + " | grep -E 'GROUP|research'");
    seen(
        "Which key is refused most, and why?",
        THIS_INSTANCE,
        "curl " + FIRST + "/refusals | jq .[0]");
    seen("Which version runs?", YES, "curl " + FIRST + "/version");
    seen("How do I take this upstream out?", YES, "penstock pause --yes --upstream=us");
    assertThat(run("penstock status")).contains("upstream us is paused by an operator");
    run("penstock pause --yes --endpoint=/held");
    seen("Who paused this endpoint?", YES, "curl '" + FIRST + "/audit?limit=1' | jq .[0]");
    seen(
        "How do I get more log for a minute?",
        THIS_INSTANCE,
        "curl -d '{\"configuredLevel\":\"DEBUG\"}' "
            + FIRST
            + "/actuator/loggers/io.penstock.access");
    CompletableFuture<HttpResponse<String>> stopped = permit("/held", erin);
    awaits("/held", TicketFate.WAITING, 1);
    seen("How do I stop this client now?", YES, "penstock keys revoke erin");
    answers(stopped, 401);
    askMetrics();
  }

  private void askMetrics() throws Exception {
    metric(
        "What is p99 of waiting?",
        "histogram_quantile(0.99, sum by (endpoint, le) (rate(penstock_wait_seconds_bucket[5m])))",
        "penstock_wait_seconds_count{endpoint=\"/chat\"}");
    metric(
        "Was it so an hour ago?",
        "sum(penstock_queue_depth{endpoint=\"/batch\"} offset 1h)",
        "penstock_queue_depth{endpoint=\"/batch\"}");
    metric(
        "Which key sends most now?",
        "topk(3, sum by (key) (rate(penstock_input_tokens_total[5m])))",
        "penstock_input_tokens_total{cache=\"none\",key=\"alice\"");
    metric("Who tells me at 80 %?", alert("PenstockBudgetNearlyUsed"), "tokens{key=\"alice\"}");
    metric(
        "What is the time to first token?",
        "histogram_quantile(0.9, sum by (upstream, le)"
            + " (rate(gen_ai_client_operation_time_to_first_chunk_seconds_bucket[5m])))",
        "to_first_chunk_seconds_count");
  }

  /** Returns the expression of an alert that is shipped. */
  private static String alert(String name) throws Exception {
    String rules = Files.readString(Path.of("k8s", "alerts", "penstock.yaml"));
    Matcher rule = Pattern.compile("alert: " + name + "\\s+expr: >-\\s+(\\S.*)\\n").matcher(rules);
    assertThat(rule.find()).as(name).isTrue();
    return rule.group(1);
  }
}
