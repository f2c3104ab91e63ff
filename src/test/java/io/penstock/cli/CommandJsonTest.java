package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

class CommandJsonTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        " \"a\\u0000b\" ",
        "null",
        "[1,-2,9223372036854775807,92233720368547758070,0.5,1e300,true,false,null]",
        "{\"a\":{\"b\":[{\"c\":\"\"},[]],\"a\":\"é\"},\"\":[]}"
      })
  void value_isWhatTheMapperReads(String text) {
    assertThat(CommandJson.read(text).toString())
        .isEqualTo(JsonMapper.shared().readTree(text).toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "{", "[1", "{\"a\"}", "[1] 2", "<html>", "nul"})
  void textThatIsNone_isRefused(String text) {
    assertThatThrownBy(() -> CommandJson.read(text)).isInstanceOf(JacksonException.class);
  }

  @Test
  void nestingWithoutEnd_isRefused() {
    assertThatThrownBy(() -> CommandJson.read("[".repeat(100_000)))
        .isInstanceOf(JacksonException.class);
  }
}
