package io.penstock.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pool.UpstreamSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PrefixPlacesTest {
  private static final List<UpstreamSpec> EQUAL =
      List.of(upstream("a", 100), upstream("b", 100), upstream("c", 100));

  private final PrefixPlaces places = new PrefixPlaces();

  private static UpstreamSpec upstream(String id, long tpm) {
    return EndpointFixture.upstream(id, 0, tpm);
  }

  private String place(String prefix, List<UpstreamSpec> upstreams) {
    return Objects.requireNonNull(places.place(prefix, "m", upstreams));
  }

  private Map<String, Integer> placeAll(int prefixes, List<UpstreamSpec> upstreams) {
    Map<String, Integer> counts = new HashMap<>();
    for (int each = 0; each < prefixes; each++) {
      counts.merge(place("prefix " + each, upstreams), 1, Integer::sum);
    }
    return counts;
  }

  @Test
  void prefixes_areSpreadEvenly() {
    assertThat(placeAll(200, EQUAL).values())
        .hasSize(3)
        .allMatch(count -> count >= 62 && count <= 70);
  }

  @Test
  void prefixes_followTheLimits() {
    Map<String, Integer> counts =
        placeAll(400, List.of(upstream("small", 100), upstream("large", 300)));
    assertThat(counts.get("small")).isBetween(90, 103);
  }

  @Test
  void equalPrefixes_goToTheSameUpstreamWhileItIsThere() {
    String home = place("same", EQUAL);
    for (int each = 0; each < 50; each++) {
      assertThat(place("same", EQUAL)).isEqualTo(home);
    }
    List<UpstreamSpec> others = EQUAL.stream().filter(each -> !each.id().equals(home)).toList();
    assertThat(place("same", others)).isNotEqualTo(home);
    assertThat(places.place("same", "m", List.of())).isNull();
  }

  @Test
  void otherInstance_choosesAlikeForMost() {
    PrefixPlaces other = new PrefixPlaces();
    placeAll(200, EQUAL);
    int alike = 0;
    for (int each = 199; each >= 0; each--) {
      String prefix = "prefix " + each;
      alike += place(prefix, EQUAL).equals(other.place(prefix, "m", EQUAL)) ? 1 : 0;
    }
    assertThat(alike).isGreaterThan(140);
  }

  @Test
  void prefixesBeyondTheBound_areForgottenFromTheFirstOn() {
    placeAll(10 * PrefixPlaces.MOST, EQUAL);
    Map<String, Integer> counts = new HashMap<>();
    for (int each = 0; each < PrefixPlaces.MOST; each++) {
      counts.merge(place("later " + each, EQUAL), 1, Integer::sum);
    }
    assertThat(counts.values()).allMatch(count -> count > 290 && count < 380);
  }
}
