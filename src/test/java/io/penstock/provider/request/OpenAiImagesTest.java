package io.penstock.provider.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.Cases;
import io.penstock.provider.answer.AnswerReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OpenAiImagesTest {
  private static WeighedRequest weigh(String members) {
    String body = "{\"prompt\":\"abcdabcd\"" + members.replace('\'', '"') + "}";
    return Cases.weigh(DialectTable.OPENAI, "/v1/images/generations", Cases.bytes(body));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "|6240",
        ",'model':'gpt-image-1'|6240",
        ",'model':'gpt-image-1','quality':'low','size':'1024x1024'|272",
        ",'model':'gpt-image-1','quality':'LOW','size':'1536x1024'|408",
        ",'model':'gpt-image-1','quality':'medium','size':'1024x1024'|1056",
        ",'model':'gpt-image-1','quality':'medium'|1584",
        ",'model':'gpt-image-1','quality':'high','size':'1024x1024'|4160",
        ",'model':'gpt-image-1','quality':'auto','size':'auto','n':10|62400",
        ",'model':'gpt-image-1','quality':'low','size':'1024x1024','partial_images':3|572",
        ",'model':'dall-e-2'|500",
        ",'model':'dall-e-2','size':'512x512','n':2|900",
        ",'model':'dall-e-2','size':'256x256'|400",
        ",'model':'dall-e-3'|1000",
        ",'model':'dall-e-3','size':'1792x1024'|2000",
        ",'model':'dall-e-3','quality':'hd'|2000",
        ",'model':'openai/dall-e-3','quality':'hd','size':'1024x1792'|3000",
        ",'model':'another','size':7,'quality':null|6240",
      })
  void image_countsForTheTokensThatCostAsMuch(String members, long output) {
    WeighedRequest weighed = weigh(members == null ? "" : members);
    assertThat(Cases.cost(weighed)).isEqualTo(new Cost(2, output, output));
    assertThat(((WeighedRequest.Request) weighed).traits().costFinal()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ",'n':1,'N':10",
        ",'quality':'low','quality':'high'",
      })
  void imageRequestThatCannotBeRead_isMalformed(String members) {
    assertThat(weigh(members)).isInstanceOf(WeighedRequest.Malformed.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ",'n':0",
        ",'n':'two'",
        ",'n':20000",
        ",'partial_images':101",
        ",'partial_images':-1",
        ",'model':7",
      })
  void imageRequestWithValuesThatCannotBeRead_leavesThemOpen(String members) {
    assertThat(weigh(members))
        .isInstanceOfSatisfying(
            WeighedRequest.Request.class,
            request -> assertThat(request.doubts()).isNotEqualTo(WeighedRequest.Doubts.NONE));
  }

  @Test
  void usageThatTheAnswerStates_isRead() {
    AnswerReader reader =
        Cases.answer(
            DialectTable.OPENAI,
            "{\"created\":1,\"data\":[{\"b64_json\":\"AAAA\"}],\"usage\":{\"total_tokens\":1100,"
                + "\"input_tokens\":44,\"output_tokens\":1056,"
                + "\"input_tokens_details\":{\"text_tokens\":44,\"image_tokens\":0}}}");
    assertThat(reader.usage()).isEqualTo(new TokenUsage(44, 0, 1056));
  }
}
