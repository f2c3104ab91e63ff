package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ComparisonTest {
  private static final Peer US = peer(Penstock.NAME, Double.NaN);
  private static final Peer BARE = peer("bare", 1.0);

  private final Comparison comparison =
      new Comparison(
          List.of(US, BARE), List.of(new Peer.Missing("nginx", 2.0, "is not installed")));

  private static Peer peer(String name, double goal) {
    return new Peer(name, 1, "/", "", goal, headers -> true);
  }

  private void round(double ours, double theirs, long failures) {
    comparison.add(US, new Load.Stretch(ours, 0, 1_000, 2_000));
    comparison.add(BARE, new Load.Stretch(theirs, failures, 1_000, 2_000));
  }

  private JsonNode json() {
    return new JsonMapper().valueToTree(comparison.details());
  }

  private JsonNode told(String peer) {
    for (JsonNode each : json().required("peers")) {
      if (each.required("name").asString().equals(peer)) {
        return each;
      }
    }
    throw new AssertionError(peer);
  }

  @Test
  void ratio_isOfTheSameRounds_howeverTheMachineChanges() {
    for (double speed : new double[] {1, 0.1, 5, 2, 0.5}) {
      round(1_200 * speed, 1_000 * speed, 0);
    }
    assertThat(told("bare").required("ratio").asDouble()).isEqualTo(1.2);
    assertThat(told("bare").required("ratio_at_least").asDouble()).isEqualTo(1.2);
    assertThat(told(Penstock.NAME).has("ratio")).isFalse();
    assertThat(comparison.table()).contains("bare").doesNotContain("NOT MET");
    Figure bare =
        Figure.atLeast("requests/s, all on: Penstock ÷ it", "bare", 1, 1.2, "1.20, at least 1.20");
    assertThat(comparison.figures()).contains(bare);
    assertThat(comparison.good()).isTrue();
  }

  @Test
  void goal_isMetByTheLowerBoundAlone() {
    for (double ours : new double[] {1_500, 1_500, 1_500, 1_500, 900}) {
      round(ours, 1_000, 0);
    }
    assertThat(comparison.table()).contains("1.50").contains("0.90").contains("NOT MET");
  }

  @Test
  void whoIsMissing_isNamedWithTheReason() {
    round(1, 1, 0);
    assertThat(comparison.table()).contains("missing: is not installed");
    assertThat(json().toString()).contains("nginx").contains("is not installed");
    assertThat(comparison.figures())
        .contains(
            Figure.missing(
                "requests/s, all on: Penstock ÷ it", "nginx", "≥ 2", "is not installed"));
  }

  @Test
  void failedRequests_andPenstockMissing_areNoGoodRun() {
    round(1, 1, 1);
    assertThat(comparison.good()).isFalse();
    Comparison without = new Comparison(List.of(BARE), List.of());
    without.add(BARE, new Load.Stretch(1, 0, 1, 1));
    assertThat(without.good()).isFalse();
    assertThat(without.table()).contains("bare");
  }
}
