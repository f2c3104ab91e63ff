package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Invalid configurations of rls, and several of them in one directory. */
class RlsCompatibilityFaultsTest {
  @TempDir Path directory;

  private List<String> faults(String text) {
    return new Routes(directory).write("rls.yml", text).faults(Map.of());
  }

  @Test
  void wrongTypes_everywhere_areFaultsAtTheirPlace() {
    String file =
        """
        server: {host: [a], port: http}
        defaults: {unit: 5, max_queue_size: many}
        endpoints:
          - {path: /a, rate: fast}
          - {path: /b, rate: -1}
          - {path: /c, burst_size: {a: 1}}
          - {path: /d, window_seconds: []}
          - {path: /e, overflow: wait}
          - {path: /f, algorithm: token_window}
          - {path: /g, max_queue_size: .inf}
          - {path: g}
          - [/h]
          - 0
        """;
    String whole = "expected a whole number from 1 to ";
    String rate = "expected a number above 0 and up to 1000000000";
    assertThat(faults(file))
        .containsExactly(
            "rls.yml:1:16: host is a list, expected an address or a name of this machine, such as"
                + " 127.0.0.1",
            "rls.yml:1:27: port is 'http', " + whole + "65535",
            "rls.yml:2:18: unit is '5', expected rps or rpm",
            "rls.yml:2:37: max_queue_size is 'many', " + whole + "2147483647",
            "rls.yml:4:22: rate is 'fast', " + rate,
            "rls.yml:5:22: rate is '-1', " + rate,
            "rls.yml:6:28: burst_size is a mapping, " + whole + "1000000000",
            "rls.yml:7:32: window_seconds is a list, expected a number from 0.001 to 31536000",
            "rls.yml:8:26: overflow is 'wait', expected reject or block",
            "rls.yml:9:27: algorithm token_window has no tokens_per_window, expected it to be set",
            "rls.yml:9:27: algorithm token_window has no window_seconds, expected it to be set",
            "rls.yml:10:32: max_queue_size is '.inf', " + whole + "2147483647",
            "rls.yml:11:12: path is 'g', expected a slash first",
            "rls.yml:12:5: an endpoint is a list, expected a mapping of settings",
            "rls.yml:13:5: an endpoint is '0', expected a mapping of settings");
  }

  @Test
  void mergeKeys_thatMergeNoMapping_areFaults() {
    assertThat(faults("endpoints: [{path: /a, <<: 5}]"))
        .containsExactly("rls.yml:1:28: << is '5', expected aliases of mappings");
    assertThat(faults("endpoints: [{path: /a, <<: [[{rate: 1}], x]}]"))
        .containsExactly("rls.yml:1:42: << is 'x', expected aliases of mappings");
  }

  @Test
  void serverBlocks_thatContradict_areAFaultInTheLaterFile() {
    Routes routes =
        new Routes(directory)
            .write("a.yaml", "server: {host: 127.0.0.1, port: 80}")
            .write("rls.yml", "server:\n  host: 127.0.0.2\n  port: 81");
    assertThat(routes.faults(Map.of()))
        .hasSize(2)
        .first()
        .asString()
        .startsWith("rls.yml:2:9: server.host is 127.0.0.2, but 127.0.0.1 at a.yaml:1:16");
    assertThat(routes.faults(Map.of()))
        .contains("rls.yml:3:9: server.port is 81, but 80 at a.yaml:1:33, expected the same");
  }

  @Test
  void serverBlocks_thatComplementEachOther_areOne() {
    Routes routes =
        new Routes(directory)
            .write("a.yaml", "server: {host: localhost, port: 0}")
            .write("b.yaml", "server: {host: '', port: 81}")
            .write("c.yaml", "server: {host: localhost, port: 81}");
    assertThat(routes.good(Map.of()).server())
        .isEqualTo(new ConfigurationSnapshot.Server("localhost", 81));
  }

  @Test
  void noRls_amongTheFiles_saysNothingOfTheServer() {
    assertThat(new Routes(directory).write("a.yaml", Routes.endpointFile()).good(Map.of()).server())
        .isNull();
  }
}
