package io.penstock.provider.openai;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dialect.DialectTable;
import io.penstock.provider.DialectName;
import io.penstock.provider.ProviderProtocol;
import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.converter.ConvertWith;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which upstreams are told a maximum in OpenAI's newer member. */
class MaximumMemberTest {
  @ParameterizedTest
  @CsvSource({
    "OPENAI, https://api.openai.com, true",
    "OPENAI, https://API.OpenAI.com:443/v1, true",
    "OPENAI, https://eu.api.openai.com/v1, true",
    "OPENAI, https://team.openai.azure.com/openai/v1, true",
    "OPENAI, https://team.cognitiveservices.azure.com, true",
    "AZURE, https://azure.example.org, true",
    "OPENAI, https://api.openai.com.example.org, false",
    "OPENAI, https://notapi.openai.com, false",
    "OPENAI, https://my-openai.azure.com, false",
    "OPENAI, https://example.org/api.openai.com, false",
    "OPENAI, https://api.mistral.ai, false",
    "OPENAI, http://127.0.0.1:8000, false",
    "OPENAI, mock://openai, false",
    "OPENAI, http://under_score/v1, false",
    "ANTHROPIC, https://api.anthropic.com, false",
    "GEMINI, https://generativelanguage.googleapis.com, false",
  })
  void member_isTheNewerOne_onlyAtOpenAiAndAzure(
      @ConvertWith(DialectName.class) ProviderProtocol dialect, URI url, boolean newer) {
    assertThat("max_completion_tokens".equals(dialect.maximumMember(url, null))).isEqualTo(newer);
  }

  @ParameterizedTest
  @CsvSource({
    "api-version=2024-08-01-preview, true",
    "a=b&api-version=2023-05-15, true",
    "api-version=2024-09-01-preview, false",
    "api-version=2024-10-21, false",
    "api-version=2025-04-01-preview&x=1, false",
    "api-version=preview, false",
    "not-api-version=2023-05-15, false",
    ", false",
  })
  void version_isOld_beforeTheFirstThatKnowsTheNewerMember(String query, boolean old) {
    String member =
        DialectTable.AZURE.maximumMember(URI.create("https://azure.example.org"), query);
    assertThat(member).isEqualTo(old ? "max_tokens" : "max_completion_tokens");
  }
}
