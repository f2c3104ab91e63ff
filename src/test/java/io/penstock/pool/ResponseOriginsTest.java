package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ResponseOriginsTest {
  private final ResponseOrigins responseOrigins = new ResponseOrigins(3);

  @Test
  void whoGaveAnId_isKnownForAnHour() {
    responseOrigins.gave("u", "resp_1", 5);
    assertThat(responseOrigins.of("resp_1", 5 + ResponseOrigins.KEPT_NANOS - 1)).isEqualTo("u");
    assertThat(responseOrigins.of("resp_1", 5 + ResponseOrigins.KEPT_NANOS)).isNull();
    assertThat(responseOrigins.of("resp_2", 5)).isNull();
  }

  @Test
  void moreThanFit_latestStay() {
    for (int id = 0; id < 4; id++) {
      responseOrigins.gave("u" + id, "id" + id, id);
    }
    assertThat(responseOrigins.size()).isEqualTo(3);
    assertThat(responseOrigins.of("id0", 4)).isNull();
    assertThat(responseOrigins.of("id1", 4)).isEqualTo("u1");
  }

  @Test
  void idSaidAgain_isAsYoungAsThat() {
    responseOrigins.gave("u", "id", 0);
    responseOrigins.gave("other", "b", 1);
    responseOrigins.gave("v", "id", 2);
    responseOrigins.gave("other", "c", 3);
    responseOrigins.gave("other", "d", 4);
    assertThat(responseOrigins.of("id", 5)).isEqualTo("v");
    assertThat(responseOrigins.of("b", 5)).isNull();
  }

  @Test
  void oldIds_goWhenNewOnesCome() {
    responseOrigins.gave("u", "old", 0);
    responseOrigins.gave("u", "new", ResponseOrigins.KEPT_NANOS);
    assertThat(responseOrigins.size()).isEqualTo(1);
  }

  @Test
  void emptyOrEndlessIds_areNobodys() {
    responseOrigins.gave("u", "", 0);
    responseOrigins.gave("u", "x".repeat(ResponseOrigins.MAX_ID_LENGTH + 1), 0);
    assertThat(responseOrigins.size()).isZero();
  }

  @Test
  void noRoomAtAll_isRefused() {
    assertThatThrownBy(() -> new ResponseOrigins(0)).hasMessageContaining("most is 0");
  }

  @Test
  void longestId_isRemembered() {
    String longest = "x".repeat(ResponseOrigins.MAX_ID_LENGTH);
    responseOrigins.gave("u", longest, 0);
    assertThat(responseOrigins.of(longest, 0)).isEqualTo("u");
  }

  @Test
  void roomForOne_isOfTheLatest() {
    ResponseOrigins one = new ResponseOrigins(1);
    one.gave("u", "a", 0);
    one.gave("v", "b", 0);
    assertThat(one.of("a", 0)).isNull();
    assertThat(one.of("b", 0)).isEqualTo("v");
  }
}
