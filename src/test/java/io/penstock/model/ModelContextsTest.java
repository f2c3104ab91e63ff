package io.penstock.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ModelContextsTest {
  private final ModelContexts contexts = new ModelContexts();

  @Test
  void modelThatIsNotConfigured_hasAContextOf200000() {
    assertThat(contexts.of("m")).isEqualTo(200_000);
    assertThat(contexts.of(null)).isEqualTo(200_000);
  }

  @Test
  void configuredModel_hasItsContext_byADatedNameToo_untilItIsConfiguredAnew() {
    contexts.configure(Map.of("m", 32_000L));
    assertThat(contexts.of("m")).isEqualTo(32_000);
    assertThat(contexts.of("m-2026-11-01")).isEqualTo(32_000);
    assertThat(contexts.of("m-mini")).isEqualTo(200_000);
    contexts.configure(Map.of());
    assertThat(contexts.of("m")).isEqualTo(200_000);
  }
}
