package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.explain.BindingLimit;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

class WaitRemedyTest {
  private static ObjectNode binds(BindingLimit.Cause cause) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("what", cause.name().toLowerCase(Locale.ROOT))
        .put("name", "eu");
  }

  @ParameterizedTest
  @EnumSource(
      value = BindingLimit.Cause.class,
      names = "OTHERS_FIRST",
      mode = EnumSource.Mode.EXCLUDE)
  void everyCause_hasAdviceOfItsOwn(BindingLimit.Cause cause) {
    assertThat(WaitRemedy.of(binds(cause), "/a")).isNotEqualTo(WaitRemedy.NOTHING).endsWith(".");
  }

  @Test
  void partOfAnInstance_isNotAwaited_whileRedisIsAway() {
    ObjectNode binds = binds(BindingLimit.Cause.SLICE).put("detail", "Redis has been away since 1");
    assertThat(WaitRemedy.of(binds, "/a")).startsWith("Bring Redis back");
  }

  @ParameterizedTest
  @EnumSource(
      value = BindingLimit.Cause.class,
      names = {"UPSTREAM_PAUSED", "UPSTREAM_UNHEALTHY"})
  void upstreamThatTakesNothing_isNamed(BindingLimit.Cause cause) {
    assertThat(WaitRemedy.of(binds(cause), "/a")).contains("/upstreams/retry?id=eu");
  }
}
