package io.penstock.config;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostileRoutesTest {
  @TempDir Path directory;

  private List<String> faults(String text) {
    return new Routes(directory).write("a.yaml", text).faults(Map.of());
  }

  private List<String> faults(byte[] bytes) {
    return new Routes(directory).write("a.yaml", bytes).faults(Map.of());
  }

  @Test
  void aliasBomb_nineLevels_isAFaultAtOnce() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 10; i++) {
      bomb.append(
          "a%d: &a%d [%s*a%d]\n".formatted(i, i, "*a%d, ".formatted(i - 1).repeat(9), i - 1));
    }
    assertThat(faults(bomb.toString()))
        .singleElement()
        .asString()
        .startsWith("a.yaml:7:")
        .contains("cannot be read", "expected plain YAML of at most 20 levels and 50 aliases");
  }

  @Test
  void aliasOfItself_inAList_isAFault() {
    assertThat(faults("endpoints: &e [*e]")).singleElement().asString().startsWith("a.yaml:1:12: ");
    assertThat(faults("&r {endpoints: *r}")).isNotEmpty();
  }

  @Test
  void aliases_ofUpstreams_areRead() {
    String file =
        """
        endpoints:
          - path: /a
            upstreams: &pool
              - {id: u, url: 'http://u'}
          - path: /b
            upstreams: *pool
        """;
    ConfigurationSnapshot snapshot = new Routes(directory).write("a.yaml", file).good(Map.of());
    assertThat(snapshot.endpoints())
        .allSatisfy(e -> assertThat(e.upstreams()).extracting(u -> u.id()).containsExactly("u"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{a: ", "- ", "? "})
  void nesting_aHundredThousandDeep_isAFaultAtItsPlace(String open) {
    assertThat(faults(open.repeat(100_000)))
        .singleElement()
        .asString()
        .matches("a\\.yaml:1:\\d+: .*");
  }

  @Test
  void file_ofTenMebibytes_isAFaultWithoutParsing() {
    byte[] bytes = new byte[10 << 20];
    Arrays.fill(bytes, (byte) '[');
    assertThat(faults(bytes))
        .containsExactly("a.yaml:1:1: the file is larger than 1 MiB, expected less");
  }

  @Test
  void file_atTheLargestSize_isRead() {
    String head = "endpoints: [{path: /a}]\n#";
    assertThat(faults(head + "x".repeat(RouteFile.MAX_BYTES - head.length()))).isEmpty();
    assertThat(faults(head + "x".repeat(RouteFile.MAX_BYTES - head.length() + 1))).hasSize(1);
  }

  @Test
  void tags_thatNameClasses_makeNothingAndAreFaults() {
    String gadget =
        "!!javax.script.ScriptEngineManager [!!java.net.URLClassLoader [[!!java.net.URL"
            + " [\"http://127.0.0.1:1/\"]]]]";
    assertThat(faults(gadget))
        .containsExactly(
            "a.yaml:1:1: not YAML: Global tag is not allowed:"
                + " tag:yaml.org,2002:javax.script.ScriptEngineManager");
    assertThat(faults("endpoints:\n  - path: " + gadget))
        .containsExactly(
            "a.yaml:2:11: not YAML: Global tag is not allowed:"
                + " tag:yaml.org,2002:javax.script.ScriptEngineManager");
    assertThat(faults("endpoints:\n  - !foo {path: /a}"))
        .containsExactly(
            "a.yaml:2:5: an endpoint is of type '!foo', expected a mapping of settings");
  }

  @Test
  void bytes_thatAreNotUtf8_areAFaultAtTheirPlace() {
    assertThat(faults("endpoints:\n  - path: /é".getBytes(ISO_8859_1)))
        .containsExactly("a.yaml:2:12: bytes that are not UTF-8, expected UTF-8 text");
    assertThat(faults("endpoints: []".getBytes(UTF_16)))
        .containsExactly("a.yaml:1:1: bytes that are not UTF-8, expected UTF-8 text");
    assertThat(faults(new byte[] {'a', ':', ' ', (byte) 0xe2, (byte) 0x82}))
        .containsExactly("a.yaml:1:4: bytes that are not UTF-8, expected UTF-8 text");
  }

  @Test
  void controlCharacters_inTheText_areAFaultAtTheirPlace() {
    assertThat(faults("endpoints:\n  - path: /a\u0000b"))
        .containsExactly("a.yaml:2:13: character U+0000, expected printable text");
    assertThat(faults("# \ud83d\ude00 \u001b[31m"))
        .containsExactly("a.yaml:1:5: character U+001B, expected printable text");
  }

  @Test
  void byteOrderMark_atTheStart_isSkipped() {
    assertThat(faults("\ufeffendpoints: [{path: /a}]")).isEmpty();
  }

  @Test
  void randomBytes_manyTimes_areFaultsAndNeverExceptions() {
    long seed = 20_250_101;
    Random random = new Random(seed);
    byte[] alphabet = "[]{}:-?&*!|>'\"%@`#,~ \n\tae<$0".getBytes(ISO_8859_1);
    for (int i = 0; i < 2_000; i++) {
      byte[] bytes = new byte[random.nextInt(60)];
      for (int j = 0; j < bytes.length; j++) {
        bytes[j] = alphabet[random.nextInt(alphabet.length)];
      }
      assertThat(faults(bytes)).as("seed %d, round %d", seed, i).isNotEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "endpoints:\\n\\t- path: /a | 2:1",
        "endpoints: [ | 1:13",
        "endpoints: 'x | 1:12",
        "endpoints: []\\n---\\nendpoints: [] | 2:1",
        "endpoints: *nope | 1:12",
        "endpoints: []\\n endpoints: [] | 2:2",
      })
  void text_thatIsNotYaml_isAFaultAtItsPlace(String text, String place) {
    assertThat(faults(text.replace("\\n", "\n").replace("\\t", "\t")))
        .singleElement()
        .asString()
        .startsWith("a.yaml:" + place + ": not YAML: ")
        .doesNotContain("\n");
  }

  @Test
  void topLevel_ofAnotherKind_isAFault() {
    assertThat(faults("- path: /a"))
        .containsExactly(
            "a.yaml:1:1: the file is a list, expected a mapping with defaults and endpoints");
    assertThat(faults("endpoints: {}"))
        .containsExactly(
            "a.yaml:1:12: endpoints is a mapping, expected a list of endpoints, each behind a"
                + " dash");
    assertThat(faults("defaults: []"))
        .containsExactly("a.yaml:1:11: defaults is a list, expected a mapping of settings");
    assertThat(faults("defaults: {}\ndefaults: {}"))
        .containsExactly("a.yaml:2:1: key 'defaults' is there twice, expected it once");
  }

  @Test
  void numbers_thatWouldTakeForever_areRefusedAtOnce() {
    assertThat(faults(Routes.endpointFile("rate: 1e-999999999"))).hasSize(1);
    assertThat(faults(Routes.endpointFile("rate: 1e999999999"))).hasSize(1);
    assertThat(faults(Routes.endpointFile("rate: 1e-999"))).hasSize(1);
    assertThat(faults(Routes.endpointFile("max_skips: " + "9".repeat(100_000)))).hasSize(1);
  }
}
