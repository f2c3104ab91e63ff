package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.sharing.LimitId.Kind;
import io.penstock.sharing.SharingMode;
import io.penstock.sharing.SharingTerms.Owner;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The setting {@code sharing} of all kinds of owners, and its faults. */
class SharingSettingTest {
  private static final String HASH = KeySettingsTest.HASH;

  private static final String ALL =
      """
      endpoints:
        - path: /a
          sharing: local
          upstreams: [{id: u, url: 'http://u', sharing: eventual}, {id: v, url: 'http://v'}]
        - path: /b
      models: {m: {sharing: eventual}, n: {rpm: 5}}
      keys: [{name: k, sha256: HASH, sharing: exact}, {name: l, sha256: OTHER}]
      groups: [{name: g, sharing: local}, {name: h}]
      """
          .replace("HASH", HASH)
          .replace("OTHER", "ab".repeat(32));

  @TempDir private Path directory;

  private ConfigurationSnapshot good(String text) {
    return new Routes(directory).write("a.yaml", text).good(Map.of());
  }

  @Test
  void sharing_ofEachOwner_isWhatItSaysAndNothingWhereItSaysNothing() {
    assertThat(good(ALL).sharing().modes())
        .containsOnly(
            Map.entry(new Owner(Kind.ENDPOINT, "/a"), SharingMode.LOCAL),
            Map.entry(new Owner(Kind.UPSTREAM, "u"), SharingMode.EVENTUAL),
            Map.entry(new Owner(Kind.MODEL, "m"), SharingMode.EVENTUAL),
            Map.entry(new Owner(Kind.KEY, "k"), SharingMode.EXACT),
            Map.entry(new Owner(Kind.GROUP, "g"), SharingMode.LOCAL));
  }

  @Test
  void printedConfiguration_readAgain_saysTheSame() {
    ConfigurationSnapshot once = good(ALL);
    String printed = RouteText.yaml(once);
    String first = printed.replaceFirst("sha256: .*", "sha256: " + HASH);
    String both = first.replaceFirst("sha256: '?\\*.*", "sha256: " + "ab".repeat(32));
    assertThat(good(both).sharing()).isEqualTo(once.sharing());
  }

  @Test
  void defaults_ofAFile_holdForItsEndpointsAlone() {
    ConfigurationSnapshot snapshot =
        good("defaults: {sharing: local}\n" + ALL.replace("sharing: local", ""));
    assertThat(snapshot.sharing().modes())
        .containsEntry(new Owner(Kind.ENDPOINT, "/a"), SharingMode.LOCAL)
        .containsEntry(new Owner(Kind.ENDPOINT, "/b"), SharingMode.LOCAL)
        .doesNotContainKey(new Owner(Kind.UPSTREAM, "v"));
  }

  @Test
  void upstreamThatIsNamedTwice_sharedDifferently_isAFault() {
    String text =
        """
        endpoints:
          - path: /a
            upstreams: [{id: u, url: 'http://u', sharing: eventual}]
          - path: /b
            upstreams: [{id: u, url: 'http://u', sharing: exact}]
        """;
    assertThat(new Routes(directory).write("a.yaml", text).faults(Map.of()))
        .containsExactly(
            "a.yaml:5:51: sharing is 'exact', but 'eventual' at a.yaml:3:51, expected the same");
  }

  @Test
  void slidingWindowUnder10Seconds_sharedExactly_isAFault() {
    String text =
        """
        endpoints:
          - path: /a
            algorithm: sliding_window
            rate: 5
            window_seconds: 9.9
            sharing: exact
        """;
    assertThat(new Routes(directory).write("a.yaml", text).faults(Map.of()))
        .containsExactly(
            "a.yaml:6:14: sharing is 'exact', but windows of sliding_window are 9.9 s, expected at"
                + " least 10, or sharing eventual or local");
    good(text.replace("9.9", "10"));
    good(text.replace("exact", "eventual"));
  }
}
