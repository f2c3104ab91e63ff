package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.StartedGateway;
import io.penstock.key.KeyRegistry;
import io.penstock.key.KeySecrets;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(120)
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
        .anyMatch(line -> line.matches("alice +store +60 +100000 +1000 +4 +- +2099-01-31T00.*"));
    Ran shown = keys("show", "alice");
    assertThat(shown.out())
        .contains("rate_limit_rpm: 60", "allowed_models: gpt-4o, o1", "priority: 2", "group: -")
        .doesNotContain("psk_", KeySecrets.sha256(first));
    Ran rotated = keys("rotate", "alice", "--overlap=60");
    assertThat(rotated.err()).contains("the old one is valid until 20");
    String second = rotated.out().strip();
    assertThat(known(second)).isTrue();
    Ran revoked = keys("revoke", "alice");
    assertThat(revoked).isEqualTo(new Ran(0, "key alice is revoked" + System.lineSeparator(), ""));
    assertThat(known(second)).isFalse();
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
    assertThat(ran.err()).startsWith("rate_limit_rpm is expected to be a whole number");
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
