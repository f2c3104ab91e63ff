package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.LimitMeasure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LimitIdTest {
  private static LimitId id(LimitId.Kind kind, String id, String pool) {
    return new LimitId(kind, id, pool, LimitMeasure.INPUT_TOKENS, 60_000_000_000L);
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

  @Test
  void written_namesTheLimitAndItsWindow() {
    assertThat(id(LimitId.Kind.KEY, "team", "gpt-4o"))
        .hasToString("limit:key:team:gpt-4o#input_tokens:60000");
  }

  @Test
  void poolOfNoName_isReadAsItIsWritten() {
    LimitId id = id(LimitId.Kind.UPSTREAM, "", "m");
    assertThat(id.owner()).isEqualTo(":m");
    assertThat(LimitId.parse("upstream", id.owner(), id.counts())).isEqualTo(id);
  }

  @ParameterizedTest
  @CsvSource({
    "kei, team, tokens:60, kind 'kei' is not known",
    "key, te%zz, tokens:60, id 'te%zz' is not percent-encoded",
    "key, team:%, tokens:60, id '%' is not percent-encoded",
    "key, team, tokens, 'measure is ''tokens'', expected one such as tokens:60000000000'",
    "key, team, tokens:, 'measure is ''tokens:'', expected one such as tokens:60000000000'",
    "key, team, tokens:-1, 'measure is ''tokens:-1'', expected one such as tokens:60000000000'",
    "key, team, words:60, measure 'words' is not known",
    "key, team, :60, measure '' is not known"
  })
  void whatNobodyWrites_isRefused_andThePartIsNamed(
      String kind, String owner, String counts, String message) {
    assertThatThrownBy(() -> LimitId.parse(kind, owner, counts))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
