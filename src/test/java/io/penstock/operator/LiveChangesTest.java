package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

class LiveChangesTest {
  private final List<ObjectNode> endpoints = new ArrayList<>();
  private final LiveChanges live = new LiveChanges(() -> endpoints, () -> "[]", () -> "{}");

  private static ObjectNode endpoint(String path, long depth, long oldestMillis) {
    return OperatorJson.object()
        .put("path", path)
        .put("queue_depth", depth)
        .put("oldest_wait_ms", LiveRows.rounded(oldestMillis))
        .putNull("waits");
  }

  @Test
  void firstNews_areAllThereIs() {
    endpoints.add(endpoint("/a", 0, 0));
    assertThat(live.takeSnapshot().news(0))
        .isEqualTo(
            """
            {"whole":true,"removed":[],"rows":[{"path":"/a","queue_depth":0,"oldest_wait_ms":0,\
            "waits":null}]}\
            """);
  }

  @Test
  void whatDidNotChange_isNoNews() {
    endpoints.addAll(List.of(endpoint("/a", 0, 0), endpoint("/b", 0, 0)));
    live.takeSnapshot();
    assertThat(live.takeSnapshot().news(1)).isNull();
    endpoints.set(1, endpoint("/b", 1, 0));
    assertThat(live.takeSnapshot().news(2)).contains("/b").doesNotContain("/a");
  }

  @Test
  void whoMissedLooks_isToldAllThatChangedSince() {
    endpoints.addAll(List.of(endpoint("/a", 0, 0), endpoint("/b", 0, 0), endpoint("/c", 0, 0)));
    live.takeSnapshot();
    endpoints.set(0, endpoint("/a", 1, 0));
    live.takeSnapshot();
    endpoints.set(1, endpoint("/b", 1, 0));
    assertThat(live.takeSnapshot().news(1)).contains("/a", "/b").doesNotContain("/c");
  }

  @Test
  void queueThatStandsStill_isNewsOnceASecond() {
    endpoints.add(endpoint("/a", 1, 1_100));
    live.takeSnapshot();
    endpoints.set(0, endpoint("/a", 1, 1_900));
    assertThat(live.takeSnapshot().news(1)).isNull();
    endpoints.set(0, endpoint("/a", 1, 2_000));
    assertThat(live.takeSnapshot().news(2)).contains("\"oldest_wait_ms\":2000");
  }

  @Test
  void endpointThatWent_isSaidToHave_andOneThatCameBackIsNot() {
    endpoints.addAll(List.of(endpoint("/a", 0, 0), endpoint("/b", 0, 0)));
    live.takeSnapshot();
    ObjectNode gone = endpoints.removeFirst();
    assertThat(live.takeSnapshot().news(1))
        .isEqualTo("{\"whole\":false,\"removed\":[\"/a\"],\"rows\":[]}");
    endpoints.add(gone);
    assertThat(live.takeSnapshot().news(1)).contains("\"removed\":[]", "/a");
  }

  @Test
  void whenTooManyWent_allIsToldAnew() {
    for (int i = 0; i < 1_001; i++) {
      endpoints.add(endpoint("/" + i, 0, 0));
    }
    endpoints.add(endpoint("/stays", 0, 0));
    live.takeSnapshot();
    live.takeSnapshot();
    endpoints.removeIf(each -> !each.path("path").asString().equals("/stays"));
    LiveChanges.Snapshot look = live.takeSnapshot();
    assertThat(look.news(2)).startsWith("{\"whole\":true").contains("/stays");
    assertThat(look.news(3)).isNull();
  }
}
