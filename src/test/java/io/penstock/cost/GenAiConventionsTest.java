package io.penstock.cost;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the names in OpenTelemetry's conventions for generative AI. */
class GenAiConventionsTest {
  @ParameterizedTest
  @CsvSource({
    "CHAT, chat",
    "COMPLETION, text_completion",
    "GENERATION, generate_content",
    "EMBEDDING, embeddings"
  })
  void operations_haveAName(ModelOperation operation, String name) {
    assertThat(GenAiConventions.name(operation)).isEqualTo(name);
  }
}
