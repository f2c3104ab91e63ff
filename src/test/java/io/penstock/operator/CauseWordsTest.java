package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.explain.BindingLimit;
import io.penstock.explain.BindingLimit.Cause;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingView;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests that all that can hold a request is told in words, with advice. */
class CauseWordsTest {
  private static final CauseWords WORDS = new CauseWords(new ClockReading(0, 0), null);

  private static BindingLimit of(Cause cause) {
    return new BindingLimit(cause, LimitId.Kind.UPSTREAM, "eu", null, Ticker.NEVER);
  }

  @ParameterizedTest
  @EnumSource(Cause.class)
  void everyCause_hasWordsAndAdviceOfItsOwn(Cause cause) {
    String detail = WORDS.detail(of(cause), 0);
    String advice = WORDS.advice(of(cause), "/a", 0);
    assertThat(detail).isNotBlank().doesNotEndWith(".");
    assertThat(advice).matches("[A-Z].*\\.");
    assertThat(Arrays.stream(Cause.values()).filter(each -> each != cause))
        .noneMatch(each -> WORDS.detail(of(each), 0).equals(detail))
        .noneMatch(each -> WORDS.advice(of(each), "/a", 0).equals(advice));
  }

  @ParameterizedTest
  @EnumSource(
      value = Cause.class,
      names = {"UPSTREAM_PAUSED", "UPSTREAM_UNHEALTHY"})
  void upstreamThatTakesNothing_isNamed(Cause cause) {
    assertThat(WORDS.advice(of(cause), "/a", 0)).contains("/upstreams/retry?id=eu");
  }

  @Test
  void shareOfAnInstance_isNotAwaited_whileRedisIsAway() {
    CauseWords away =
        new CauseWords(new ClockReading(5, 0), new SharingView.Outage(3, OutagePolicy.PARK));
    assertThat(away.advice(of(Cause.SHARE), "/a", 5)).startsWith("Bring Redis back");
    assertThat(away.advice(of(Cause.SHARE), "/a", 2)).startsWith("Nothing");
  }

  @Test
  void description_namesEveryCause() throws IOException {
    JsonNode description;
    try (InputStream text = CauseWordsTest.class.getResourceAsStream("openapi.json")) {
      description = JsonMapper.shared().readTree(Objects.requireNonNull(text));
    }
    List<String> named =
        description
            .at("/components/schemas/TicketBinding/properties/what/enum")
            .valueStream()
            .map(JsonNode::asString)
            .toList();
    assertThat(named)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Cause.values())
                .map(each -> each.name().toLowerCase(Locale.ROOT))
                .toList());
  }
}
