package io.penstock.gateway.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.coordination.ObjectKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CoordinationPathTest {
  @ParameterizedTest
  @CsvSource({
    "/v1/tokenbucket/a/acquire, TOKENBUCKET, a, acquire",
    "/tokenbucket/a/acquire, TOKENBUCKET, a, acquire",
    "//v1/sema%70hore/a%20b/release, SEMAPHORE, a b, release",
    "/event/v1/send, EVENT, v1, send",
    "/v1/watchdog/%C3%A9/kick, WATCHDOG, é, kick",
    "/counter/a+b/stats, COUNTER, a+b, stats",
    "/v1/barrier/stats/wait, BARRIER, stats, wait",
  })
  void action_isReadFromThePath(String path, ObjectKind kind, String name, String action) {
    assertThat(CoordinationPath.serves(path)).isTrue();
    assertThat(CoordinationPath.of(path))
        .isEqualTo(new CoordinationPath.Action(kind, name, action));
  }

  @Test
  void objectItself_andReadiness_haveAPathEach() {
    assertThat(CoordinationPath.of("/v1/event/a"))
        .isEqualTo(new CoordinationPath.Itself(ObjectKind.EVENT, "a"));
    assertThat(CoordinationPath.serves("/.well-known/ready")).isTrue();
    assertThat(CoordinationPath.of("/.well-known/ready")).isEqualTo(new CoordinationPath.Ready());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/", "/v1", "/v1/chat/completions", "/v1/v1/event/a/wait", "/a/event/b", "/%zz"})
  void otherPath_isNotServed(String path) {
    assertThat(CoordinationPath.serves(path)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/event",
        "/v1/event/a/b",
        "/v1/event/a/wait/c",
        "/counter/a/acquire",
        "/tokenbucket/a/wait"
      })
  void pathWithoutAnAction_isNothing(String path) {
    assertThat(CoordinationPath.serves(path)).isTrue();
    assertThat(CoordinationPath.of(path)).isEqualTo(new CoordinationPath.Nothing());
  }

  @ParameterizedTest
  @CsvSource({
    "/event/a%2Fb/wait, slash",
    "/event/a%C2%85b/wait, control character",
    "/event/a%E2%80%AEb/wait, control character",
    "/event/a%FFb/wait, control character",
  })
  void nameThatHidesSomething_isBad(String path, String why) {
    assertThat(CoordinationPath.of(path))
        .isInstanceOfSatisfying(
            CoordinationPath.Bad.class, bad -> assertThat(bad.why()).contains(why));
  }

  @Test
  void name_hasABound() {
    assertThat(CoordinationPath.of("/event/" + "a".repeat(256) + "/wait"))
        .isInstanceOf(CoordinationPath.Action.class);
    assertThat(CoordinationPath.of("/event/" + "a".repeat(257) + "/wait"))
        .isEqualTo(new CoordinationPath.Bad("name has 257 characters, expected at most 256"));
  }
}
