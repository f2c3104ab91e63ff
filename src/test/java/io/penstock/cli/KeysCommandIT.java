package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.StartedGateway;
import io.penstock.key.KeyRegistry;
import io.penstock.key.KeySecrets;
import io.penstock.time.WallClock;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class KeysCommandIT {
  private static final String TOKEN = "an operator's token";

  @TempDir private static Path directory;
  private static StartedGateway gateway;

  /** Exit code and output of a command. */
  private record Ran(int exit, String out, String err) {}

  @BeforeAll
  static void start() {
    gateway =
        StartedGateway.start(
            directory,
            "endpoints: [{path: /a}]",
            "--penstock.operator.token=" + TOKEN,
            "--penstock.keys.store=file:" + directory.resolve("keys.db"));
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  private static Ran run(Map<String, String> environment, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = PenstockCommands.commandLine(environment, address -> {});
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    List<String> all = new ArrayList<>(List.of("keys"));
    all.addAll(List.of(arguments));
    return new Ran(line.execute(all.toArray(String[]::new)), out.toString(), err.toString());
  }

  private static Ran keys(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--attach=http://127.0.0.1:" + gateway.operatorPort());
    return run(Map.of("PENSTOCK_OPERATOR_TOKEN", TOKEN), all.toArray(String[]::new));
  }

  /** Returns the JSON that a command prints, and nothing else, to its standard output. */
  private static JsonNode json(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--json");
    Ran ran = keys(all.toArray(String[]::new));
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(ran.out()).hasLineCount(1);
    return JsonMapper.shared().readTree(ran.out());
  }

  private static boolean known(String secret) {
    return gateway.context().getBean(KeyRegistry.class).caller(secret, 1_800_000_000_000L) != null;
  }

  @Test
  void key_isMadeShownRotatedAndRevoked() {
    Ran made =
        keys(
            "new",
            "--name=alice",
            "--rpm=60",
            "--tpm=100000",
            "--rpd=1000",
            "--concurrency=4",
            "--priority=2",
            "--weight=3",
            "--models=gpt-4o,o1",
            "--expires=2099-01-31");
    assertThat(made.exit()).as(made.err()).isZero();
    String first = made.out().strip();
    assertThat(KeySecrets.looksLikeKey(first)).isTrue();
    assertThat(made.err()).contains("alice").doesNotContain(first);
    assertThat(known(first)).isTrue();
    Ran listed = keys("list");
    assertThat(listed.out().lines().toList())
        .hasSizeGreaterThan(1)
        .anyMatch(line -> line.matches("alice +store +60 +100000 +1000 +4 +- .* 2099-01-31"));
    Ran shown = keys("show", "alice");
    assertThat(shown.out().lines().map(line -> line.replaceAll(" {2,}", ": ")))
        .contains(
            "requests per minute: 60",
            "tokens per UTC day: unlimited",
            "models: gpt-4o, o1",
            "endpoints: all",
            "priority: 2",
            "group: none",
            "expires: 2099-01-31T00:00:00Z");
    assertThat(shown.out()).doesNotContain("psk_", KeySecrets.sha256(first));
    Ran rotated = keys("rotate", "alice", "--overlap=60");
    assertThat(rotated.err()).contains("the old one is valid until 20");
    String second = rotated.out().strip();
    assertThat(known(second)).isTrue();
    Ran revoked = keys("revoke", "alice");
    assertThat(revoked).isEqualTo(new Ran(0, "key alice is revoked" + System.lineSeparator(), ""));
    assertThat(known(second)).isFalse();
  }

  @Test
  void everyTerm_isSetAndTakenAway() {
    JsonNode made =
        json(
            "new",
            "--name=terms",
            "--rpm=1",
            "--tpm=2",
            "--rpd=3",
            "--concurrency=4",
            "--budget=5",
            "--max-output-tokens=12",
            "--light-rpm=13",
            "--model-rpm=m=6",
            "--model-tpm=m=7",
            "--model-rpm=n=8",
            "--models=m,n",
            "--endpoints=/a,/b",
            "--calls=weighed,/v1/files",
            "--priority=1",
            "--max-priority=9",
            "--weight=3",
            "--expires=2099-01-31",
            "--on-limit=wait",
            "--max-waiting=14",
            "--sharing=eventual",
            "--max-output=refuse",
            "--strict-after-denial");
    assertThat(made.path("secret").asString()).startsWith("psk_");
    JsonNode terms = json("show", "terms");
    assertThat(terms.path("budget_tokens_per_day").asLong()).isEqualTo(5);
    assertThat(terms.path("max_output_tokens").asLong()).isEqualTo(12);
    assertThat(terms.path("light_rpm").asLong()).isEqualTo(13);
    assertThat(terms.path("models").toString())
        .isEqualTo("{\"m\":{\"rpm\":6,\"tpm\":7},\"n\":{\"rpm\":8,\"tpm\":0}}");
    assertThat(terms.path("allowed_endpoints").toString()).isEqualTo("[\"/a\",\"/b\"]");
    assertThat(terms.path("calls").toString()).isEqualTo("[\"weighed\",\"/v1/files\"]");
    assertThat(terms.path("max_priority").asInt()).isEqualTo(9);
    assertThat(terms.path("on_limit").asString()).isEqualTo("wait");
    assertThat(terms.path("max_waiting").asLong()).isEqualTo(14);
    assertThat(terms.path("sharing").asString()).isEqualTo("eventual");
    assertThat(terms.path("max_output").asString()).isEqualTo("refuse");
    assertThat(terms.path("strict_after_denial").asBoolean()).isTrue();
    JsonNode cleared =
        json(
            "update",
            "terms",
            "--rpm=unlimited",
            "--tpm=unlimited",
            "--rpd=unlimited",
            "--concurrency=unlimited",
            "--budget=unlimited",
            "--max-output-tokens=unlimited",
            "--light-rpm=default",
            "--model-rpm=m=unlimited",
            "--model-tpm=m=unlimited",
            "--model-rpm=n=unlimited",
            "--models=all",
            "--endpoints=all",
            "--calls=all",
            "--group=none",
            "--priority=0",
            "--max-priority=default",
            "--weight=1",
            "--expires=never",
            "--on-limit=default",
            "--max-waiting=default",
            "--max-output=default",
            "--strict-after-denial=false",
            "--sharing=default");
    assertThat(keys("new", "--name=plain").exit()).isZero();
    ObjectNode plain = (ObjectNode) json("show", "plain");
    plain.remove(List.of("limits", "refused_last_hour"));
    ((ObjectNode) cleared).put("name", "plain");
    ((ObjectNode) cleared).set("created_at", plain.path("created_at"));
    assertThat(cleared).isEqualTo(plain);
  }

  @Test
  void update_changesOnlyTheTermsThatAreNamed() {
    assertThat(keys("new", "--name=dora", "--rpm=1", "--model-rpm=m=2", "--model-tpm=m=3").exit())
        .isZero();
    assertThat(keys("update", "dora", "--tpm=50", "--model-rpm=n=4"))
        .isEqualTo(new Ran(0, "key dora is changed" + System.lineSeparator(), ""));
    JsonNode terms = json("show", "dora");
    assertThat(terms.path("rpm").asLong()).isEqualTo(1);
    assertThat(terms.path("tpm").asLong()).isEqualTo(50);
    assertThat(terms.path("models").toString())
        .isEqualTo("{\"m\":{\"rpm\":2,\"tpm\":3},\"n\":{\"rpm\":4,\"tpm\":0}}");
  }

  @Test
  void update_thatCannotBe_isOneLine() {
    assertThat(keys("update", "nobody", "--rpm=1"))
        .isEqualTo(new Ran(1, "", "no key has this name" + System.lineSeparator()));
    assertThat(keys("new", "--name=erik").exit()).isZero();
    Ran nothing = keys("update", "erik");
    assertThat(nothing.exit()).isEqualTo(2);
    assertThat(nothing.err()).hasLineCount(1).contains("--rpm 60");
    Ran bad = keys("update", "erik", "--group=nobodys");
    assertThat(bad.exit()).isEqualTo(2);
    assertThat(bad.err()).hasLineCount(1).startsWith("group is expected");
    assertThat(keys("update", "erik", "--max-priority=high").exit()).isEqualTo(2);
  }

  @Test
  void json_isTheGatewaysAnswer() {
    JsonNode made = json("new", "--name=json");
    JsonNode rotated = json("rotate", "json");
    assertThat(rotated.path("secret").asString())
        .startsWith("psk_")
        .isNotEqualTo(made.path("secret").asString());
    assertThat(json("list").valueStream().map(key -> key.path("name").asString())).contains("json");
    assertThat(json("revoke", "json").toString()).isEqualTo("{\"name\":\"json\",\"revoked\":true}");
  }

  @Test
  void secretOfOnesOwn_isNotShown() {
    Ran made = keys("new", "--name=own", "--sha256=" + KeySecrets.sha256("my own secret"));
    assertThat(made.exit()).as(made.err()).isZero();
    assertThat(made.out()).isEmpty();
    assertThat(made.err()).contains("key own is made");
    assertThat(known("my own secret")).isTrue();
  }

  @Test
  void lastUse_isWhatThisInstanceHasSeen() {
    String secret = keys("new", "--name=used").out().strip();
    assertThat(json("show", "used").path("last_used_at").isNull()).isTrue();
    assertThat(keys("show", "used").out()).contains("never since this instance started");
    assertThat(gateway.gateway("GET /a", "Authorization: Bearer " + secret)).contains(" 200 ");
    Instant used = Instant.parse(json("show", "used").path("last_used_at").asString());
    Instant now = Instant.ofEpochMilli(WallClock.system().unixMillis());
    assertThat(Duration.between(used, now).abs()).isLessThan(Duration.ofMinutes(5));
    assertThat(keys("show", "used").out()).contains(used + " (seen by this instance)");
    assertThat(keys("list").out()).contains(used.toString().replaceFirst("\\.\\d+Z", "Z"));
  }

  @Test
  void manyKeys_areAllListed() {
    for (int at = 0; at < 3; at++) {
      assertThat(keys("new", "--name=many-" + at).exit()).isZero();
    }
    assertThat(keys("list").out().lines().filter(line -> line.startsWith("many-"))).hasSize(3);
  }

  @Test
  void nameThatIsTaken_isOneLineAndExitsOne() {
    assertThat(keys("new", "--name=bob").exit()).isZero();
    assertThat(keys("new", "--name=bob"))
        .isEqualTo(new Ran(1, "", "a key of this name is there already" + System.lineSeparator()));
  }

  @Test
  void keyThatIsNone_exitsOne() {
    assertThat(keys("show", "nobody"))
        .isEqualTo(new Ran(1, "", "no key has this name" + System.lineSeparator()));
    assertThat(keys("revoke", "a/../b").exit()).isEqualTo(1);
  }

  @Test
  void badTerm_exitsTwoWithWhatWasExpected() {
    Ran ran = keys("new", "--name=carol", "--rpm=-1");
    assertThat(ran.exit()).isEqualTo(2);
    assertThat(ran.err())
        .startsWith("--rpm is '-1', expected a whole number from 0 to ")
        .endsWith(", or 'unlimited'" + System.lineSeparator());
    assertThat(keys("new", "--name=carol", "--on-limit=perhaps"))
        .isEqualTo(
            new Ran(
                2,
                "",
                "--on-limit is 'perhaps', expected reject or wait, or 'default'"
                    + System.lineSeparator()));
    assertThat(keys("new").exit()).isEqualTo(2);
    assertThat(keys("new", "--name=carol", "--rpm=many").exit()).isEqualTo(2);
    assertThat(keys("nw").exit()).isEqualTo(2);
    assertThat(keys("show", "carol").exit()).isEqualTo(1);
  }

  @Test
  void wrongToken_isSaidWithoutIt() {
    Ran ran = keys("list", "--token=another token");
    assertThat(ran.exit()).isEqualTo(1);
    assertThat(ran.err())
        .startsWith("the operator port refuses the token")
        .doesNotContain("another token");
    assertThat(keys("list", "--token=" + TOKEN).exit()).isZero();
    assertThat(keys("list", "--token=\u0001").exit()).isEqualTo(2);
  }

  @Test
  void nobodyThere_isOneLineAndExitsOne() {
    Ran ran = run(Map.of(), "list", "--attach=http://127.0.0.1:" + StartedGateway.freePort());
    assertThat(ran.exit()).isEqualTo(1);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err()).hasLineCount(1).startsWith("nobody answers at http://127.0.0.1:");
  }

  @Test
  void gatewayPortInstead_isNoOperatorPort() {
    Ran ran = run(Map.of(), "list", "--attach=http://127.0.0.1:" + gateway.port());
    assertThat(ran.exit()).isEqualTo(1);
    assertThat(ran.err()).hasLineCount(1);
  }

  @Test
  void addressThatIsNone_exitsTwo() {
    for (String address :
        new String[] {"localhost:8081", "ftp://h", "http://", "a b", "http://u:p@h"}) {
      Ran ran = run(Map.of(), "list", "--attach=" + address);
      assertThat(ran.exit()).as(address).isEqualTo(2);
      assertThat(ran.err()).hasLineCount(1).contains("http://127.0.0.1:8081");
    }
  }
}
