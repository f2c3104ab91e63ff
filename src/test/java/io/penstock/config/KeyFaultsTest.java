package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Faults of keys, groups and providers, and their places. */
class KeyFaultsTest {
  private static final String HASH = KeySettingsTest.HASH;
  private static final String OTHER = "ab".repeat(32);
  private static final String ENDPOINT = "endpoints: [{path: /a}, {path: /f, dynamic: false}]\n";

  @TempDir Path directory;

  private static Arguments key(String more, String fault) {
    return fault("keys: [{name: k, sha256: " + HASH + ", " + more + "}]", fault);
  }

  private static Arguments fault(String text, String fault) {
    return Arguments.of(text, "a.yaml:2:" + fault);
  }

  static Stream<Arguments> faulty() {
    return Stream.of(
        key("group: nobody", "99: group 'nobody' is not there, expected one of groups"),
        key(
            "priority: 5, max_priority: 4",
            "102: priority is 5, above max_priority 4, expected at most that"),
        key("max_priority: -1", "106: priority is 0, above max_priority -1, expected at most that"),
        key("weight: 0", "100: weight is '0', expected a whole number from 1 to 1000000"),
        key("rpm: -1", "97: rpm is '-1', expected a whole number from 0 to 1099511627776"),
        key("rpm_limit: 5", "92: unknown key 'rpm_limit', did you mean 'rpm'?"),
        key("secret: abc", "92: unknown key 'secret', did you mean 'sha256'?"),
        key(
            "expires_at: tomorrow",
            "104: expires_at is 'tomorrow', expected an instant such as 2027-01-31T12:00:00Z, or a"
                + " date"),
        key(
            "expires_at: 2027-02-30",
            "104: expires_at is '2027-02-30', expected an instant such as 2027-01-31T12:00:00Z, or"
                + " a date"),
        key(
            "expires_at: 1800000000",
            "104: expires_at is '1800000000', expected an instant such as 2027-01-31T12:00:00Z, or"
                + " a date"),
        key("on_limit: hold", "102: on_limit is 'hold', expected reject or wait"),
        key(
            "on_limit: wait, strict_after_denial: true",
            "129: strict_after_denial is true, but on_limit is wait, expected reject"),
        key(
            "sharing: exact, strict_after_denial: true",
            "129: strict_after_denial is true, but sharing is exact, expected eventual"),
        key("sharing: all", "101: sharing is 'all', expected exact, eventual or local"),
        key("allowed_models: []", "108: allowed_models is empty, expected a model"),
        key(
            "allowed_endpoints: []",
            "111: allowed_endpoints is empty, expected a path, or no allowed_endpoints to allow"
                + " all"),
        key("allowed_endpoints: [a]", "112: a path is 'a', expected a slash first"),
        key("allowed_endpoints: [/a, /a/]", "116: path '/a' is there twice, expected once"),
        key("models: {m: {max: 5}}", "105: unknown key 'max', expected one of rpm, tpm"),
        key("models: {m: 5}", "104: a model is '5', expected a mapping with rpm or tpm"),
        fault("keys: [{sha256: " + HASH + "}]", "8: name is missing, expected it here"),
        fault("keys: [{name: k}]", "8: sha256 is missing, expected it here"),
        fault(
            "keys: [{name: a b, sha256: " + HASH + "}]",
            "15: name is 'a b', expected up to 100 letters, digits, dots, hyphens and underscores"),
        fault(
            "keys: [{name: anonymous, sha256: " + HASH + "}]",
            "15: name is 'anonymous', which stands for no key, expected another"),
        fault("groups: [{rpm: 5}]", "10: name is missing, expected it here"),
        fault(
            "groups: [{name: g}, {name: g}]",
            "28: group 'g' is there at a.yaml:2:17 already, expected it once"),
        fault(
            "groups: {g: {}}",
            "9: groups is a mapping, expected a list of groups, each behind a dash"),
        fault(
            "providers: [openai, open]",
            "21: a provider is 'open', expected openai, anthropic, gemini or local"),
        fault("providers: openai", "12: providers is 'openai', expected a list of providers"));
  }

  @ParameterizedTest
  @MethodSource("faulty")
  void badSetting_alone_isTheOnlyFaultAtItsPlace(String text, String fault) {
    assertThat(new Routes(directory).write("a.yaml", ENDPOINT + text).faults(Map.of()))
        .containsExactly(fault);
  }

  @Test
  void secretInThePlaceOfItsHash_isNotShown_andAHintIs() {
    for (String keys :
        new String[] {
          "keys: [{name: k, sha256: hunter2}]",
          "keys: [{name: k, sha256: '${S}'}]",
          "keys: [hunter2]",
          "keys: hunter2"
        }) {
      assertThat(
              new Routes(directory)
                  .write("a.yaml", ENDPOINT + keys)
                  .faults(Map.of("S", "hunter2hunter2")))
          .hasSize(1)
          .allMatch(fault -> fault.startsWith("a.yaml:2:") && fault.contains("expected"))
          .noneMatch(fault -> fault.contains("hunter2"));
    }
    assertThat(
            new Routes(directory)
                .write("a.yaml", ENDPOINT + "keys: [{name: k, sha256: hunter2}]")
                .faults(Map.of()))
        .containsExactly(
            "a.yaml:2:26: sha256 has 7 characters, expected the SHA-256 of the secret, 64"
                + " hexadecimal digits; a secret does not belong here, but what 'printf %s SECRET |"
                + " sha256sum' prints");
  }

  @Test
  void sameNameOrSameSecretInTwoFiles_isAFaultInTheLater() {
    Routes routes =
        new Routes(directory)
            .write("a.yaml", ENDPOINT + "keys: [{name: k, sha256: " + HASH + "}]")
            .write(
                "b.yaml",
                "keys:\n  - {name: k, sha256: " + OTHER + "}\n  - {name: l, sha256: " + HASH + "}");
    assertThat(routes.faults(Map.of()))
        .containsExactly(
            "b.yaml:2:12: key 'k' is there at a.yaml:2:15 already, expected it once",
            "b.yaml:3:23: sha256 is that of the key at a.yaml:2:26, expected another secret");
  }

  @Test
  void groupWithAName_thatIsNearlyThere_isHinted() {
    String file =
        ENDPOINT
            + "groups: [{name: research}]\nkeys: [{name: k, sha256: "
            + HASH
            + ", group: reserch}]";
    assertThat(new Routes(directory).write("a.yaml", file).faults(Map.of()))
        .containsExactly("a.yaml:3:99: group 'reserch' is not there, did you mean 'research'?");
  }

  @Test
  void endpointThatNobodyHas_isAWarning_unlessItCanComeToBe() {
    String file =
        ENDPOINT
            + "keys: [{name: k, sha256: "
            + HASH
            + ", allowed_endpoints: [/a, /a/b, /f, /f/g, /other]}]";
    assertThat(new Routes(directory).write("a.yaml", file).warnings(Map.of()))
        .containsExactly(
            "a.yaml:2:111: no endpoint has path '/f/g', which key 'k' may use, expected the path of"
                + " one of endpoints",
            "a.yaml:2:111: no endpoint has path '/other', which key 'k' may use, expected the path"
                + " of one of endpoints");
  }
}
