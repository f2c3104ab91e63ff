package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Measure;
import org.junit.jupiter.api.Test;

class LimitIdTest {
  private static LimitId id(LimitId.Kind kind, String id, String pool) {
    return new LimitId(kind, id, pool, Measure.INPUT_TOKENS, 60_000_000_000L);
  }

  @Test
  void upstream_isNamedByItsIdAndPool() {
    LimitId id = id(LimitId.Kind.UPSTREAM, "openai-1", "gpt-4o");
    assertThat(id.text()).isEqualTo("ratelimit:openai-1:gpt-4o");
    assertThat(id.field()).isEqualTo("input_tokens:60000");
  }

  @Test
  void otherKinds_areNamedByKindAndId() {
    assertThat(id(LimitId.Kind.ENDPOINT, "/v1/x", "").text()).isEqualTo("limit:endpoint:%2Fv1%2Fx");
    assertThat(id(LimitId.Kind.KEY, "team", "").text()).isEqualTo("limit:key:team");
  }

  @Test
  void hostileNames_cannotLeaveTheirPartOfTheText() {
    String text = id(LimitId.Kind.UPSTREAM, "a:b{c}", "d\r\n e{}:%").text();
    assertThat(text).doesNotContain("{", "}", "\r", "\n", " ");
    assertThat(text.split(":", -1)).hasSize(3);
  }

  @Test
  void differentNames_neverMeetInOneText() {
    assertThat(id(LimitId.Kind.UPSTREAM, "a:b", "c").text())
        .isNotEqualTo(id(LimitId.Kind.UPSTREAM, "a", "b:c").text());
    assertThat(id(LimitId.Kind.UPSTREAM, "a b", "").text())
        .isNotEqualTo(id(LimitId.Kind.UPSTREAM, "a+b", "").text());
    assertThat(id(LimitId.Kind.UPSTREAM, "%20", "").text())
        .isNotEqualTo(id(LimitId.Kind.UPSTREAM, " ", "").text());
  }

  @Test
  void space_isPercentEncoded() {
    assertThat(id(LimitId.Kind.KEY, "a b", "").text()).isEqualTo("limit:key:a%20b");
  }
}
