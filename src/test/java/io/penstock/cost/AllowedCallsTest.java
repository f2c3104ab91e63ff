package io.penstock.cost;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedCallsTest {
  @ParameterizedTest
  @CsvSource({
    "/v1/files, true",
    "/V1/FILES, true",
    "/v1/files/f/content, true",
    "/v1/filesystem, false",
    "/v1/file, false",
    "/v1, false",
    "'', false",
    "/x/v1/files, false",
    "/v1beta/models/m:countTokens, true",
    "/v1beta/models/m, true",
    "/v1beta/models/m2:countTokens, false",
  })
  void path_coversWhatIsBelowIt(String path, boolean covered) {
    AllowedCalls calls = AllowedCalls.of(List.of("/v1/files", "/v1beta/models/m"));
    assertThat(calls.permit(false, path)).isEqualTo(covered);
    assertThat(calls.permit(true, path)).isEqualTo(covered);
  }

  @Test
  void words_standForKindsOfCalls() {
    assertThat(AllowedCalls.ALL.permit(false, "/x")).isTrue();
    assertThat(AllowedCalls.WEIGHED.permit(true, "/x")).isTrue();
    assertThat(AllowedCalls.WEIGHED.permit(false, "/x")).isFalse();
    assertThat(AllowedCalls.of(List.of("weighed"))).isEqualTo(AllowedCalls.WEIGHED);
    assertThat(AllowedCalls.of(List.of("/a", "weighed")).shown())
        .isEqualTo(List.of("weighed", "/a"));
    assertThat(AllowedCalls.ALL.shown()).isEqualTo("all");
    assertThat(AllowedCalls.WEIGHED.shown()).isEqualTo("weighed");
    assertThat(AllowedCalls.ALL.permitUnweighed()).isTrue();
    assertThat(AllowedCalls.WEIGHED.permitUnweighed()).isFalse();
    assertThat(AllowedCalls.of(List.of("/a")).permitUnweighed()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"all", "v1", "/", "/a/", "//a", "/a b", "/a;x", "/a?b", "/a%2f", "", "/a\\b"})
  void otherWords_areNoEntries(String word) {
    assertThat(AllowedCalls.isEntry(word)).isFalse();
  }
}
