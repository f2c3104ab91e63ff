package io.penstock.provider.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.Cases;
import io.penstock.suite.Hostile;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that text in messages counts whatever the member is called that has it. */
class MessageTextTest {
  private static final int TOKENS = 1_000;
  private static final String TEXT = "word".repeat(TOKENS);

  private static long tokens(Dialect dialect, String path, String body) {
    String whole = body.replace('\'', '"').replace("TEXT", TEXT);
    return Cases.cost(Cases.weigh(dialect, path, Cases.bytes(whole))).inputTokens();
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "'name':'TEXT'",
        "'reasoning':'TEXT'",
        "'reasoning_content':'TEXT'",
        "'thinking':'TEXT'",
        "'tool_call_id':'TEXT'",
        "'documents':[{'title':'TEXT'}]",
        "'documents':['TEXT']",
        "'role':'TEXT'",
        "'anything':[['TEXT']]",
        "'anything':{'type':'TEXT'}",
        "'tool_calls':[{'id':'c','type':'function','function':{'name':'TEXT'}}]"
      })
  void memberOfAMessage(String member) {
    String chat = "{'model':'m','messages':[{" + member + "}]}";
    assertThat(tokens(DialectTable.OPENAI, "/v1/chat/completions", chat)).isBetween(1_004L, 1_020L);
    assertThat(tokens(DialectTable.AZURE, "/openai/deployments/d/chat/completions", chat))
        .isBetween(1_004L, 1_020L);
    assertThat(tokens(DialectTable.MISTRAL, "/v1/chat/completions", chat))
        .isBetween(1_004L, 1_020L);
    String messages = "{'model':'m','max_tokens':9,'messages':[{" + member + "}]}";
    assertThat(tokens(DialectTable.ANTHROPIC, "/v1/messages", messages)).isBetween(1_004L, 1_020L);
    String response = "{'model':'m','input':[{" + member + "}]}";
    assertThat(tokens(DialectTable.OPENAI, "/v1/responses", response)).isBetween(1_004L, 1_020L);
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "'documents':[{'text':'TEXT'}]",
        "'chat_template':'TEXT'",
        "'chat_template_kwargs':{'thinking':'TEXT'}"
      })
  void memberOfAChat_thatATemplateShows(String member) {
    String chat = "{'model':'m','messages':[]," + member + "}";
    assertThat(tokens(DialectTable.OPENAI, "/v1/chat/completions", chat)).isBetween(1_000L, 1_020L);
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(strings = {"/v1/chat/completions", "/v1/completions"})
  void promptOfNumbers_countsByNumber(String path) {
    String numbers = "1,".repeat(TOKENS - 1) + "1";
    assertThat(
            tokens(DialectTable.OPENAI, path, "{'model':'m','prompt_token_ids':[" + numbers + "]}"))
        .isEqualTo(TOKENS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"'role':'user'", "'role':'tool','tool_call_id':'call_1'"})
  void shortLabels_belongToTheirMessage(String members) {
    String chat = "{'model':'m','messages':[{" + members + ",'content':'TEXT'}]}";
    assertThat(tokens(DialectTable.OPENAI, "/v1/chat/completions", chat)).isEqualTo(1_004);
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {"'video_url':{'url':'TEXT'}", "'audio_url':'TEXT'", "'document_url':'TEXT'"})
  void recordingsAndDocuments_countByTheirKind(String part) {
    String chat = "{'model':'m','messages':[{'content':[{" + part + "}]}]}";
    assertThat(tokens(DialectTable.OPENAI, "/v1/chat/completions", chat))
        .isNotEqualTo(1_004)
        .isGreaterThan(600);
  }
}
