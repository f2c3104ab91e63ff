package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ResponseOriginsTest {
  private final ResponseOrigins origins = new ResponseOrigins(3);

  @Test
  void whoGaveAnId_isKnownForAnHour() {
    origins.remember("u", "resp_1", 5);
    assertThat(origins.of("resp_1", 5 + ResponseOrigins.KEPT_NANOS - 1)).isEqualTo("u");
    assertThat(origins.of("resp_1", 5 + ResponseOrigins.KEPT_NANOS)).isNull();
    assertThat(origins.of("resp_2", 5)).isNull();
  }

  @Test
  void moreThanFit_latestStay() {
    for (int id = 0; id < 4; id++) {
      origins.remember("u" + id, "id" + id, id);
    }
    assertThat(origins.size()).isEqualTo(3);
    assertThat(origins.of("id0", 4)).isNull();
    assertThat(origins.of("id1", 4)).isEqualTo("u1");
  }

  @Test
  void idSaidAgain_isAsYoungAsThat() {
    origins.remember("u", "id", 0);
    origins.remember("other", "b", 1);
    origins.remember("v", "id", 2);
    origins.remember("other", "c", 3);
    origins.remember("other", "d", 4);
    assertThat(origins.of("id", 5)).isEqualTo("v");
    assertThat(origins.of("b", 5)).isNull();
  }

  @Test
  void oldIds_goWhenNewOnesCome() {
    origins.remember("u", "old", 0);
    origins.remember("u", "new", ResponseOrigins.KEPT_NANOS);
    assertThat(origins.size()).isEqualTo(1);
  }

  @Test
  void emptyOrEndlessIds_areNobodys() {
    origins.remember("u", "", 0);
    origins.remember("u", "x".repeat(ResponseOrigins.MAX_ID_LENGTH + 1), 0);
    assertThat(origins.size()).isZero();
  }

  @Test
  void noRoomAtAll_isRefused() {
    assertThatThrownBy(() -> new ResponseOrigins(0)).hasMessageContaining("most is 0");
  }

  @Test
  void longestId_isRemembered() {
    String longest = "x".repeat(ResponseOrigins.MAX_ID_LENGTH);
    origins.remember("u", longest, 0);
    assertThat(origins.of(longest, 0)).isEqualTo("u");
  }

  @Test
  void roomForOne_isOfTheLatest() {
    ResponseOrigins one = new ResponseOrigins(1);
    one.remember("u", "a", 0);
    one.remember("v", "b", 0);
    assertThat(one.of("a", 0)).isNull();
    assertThat(one.of("b", 0)).isEqualTo("v");
  }
}
