package io.penstock.provider.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.json.BodyEdit;
import io.penstock.json.BodyEdits;
import io.penstock.provider.Cases;
import io.penstock.provider.DialectName;
import io.penstock.provider.ProviderProtocol;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.converter.ConvertWith;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

/** Tests that a body which states no maximum of output can be made to state one. */
class MaximumPlacesTest {
  private static final String CHAT = "/v1/chat/completions";
  private static final String DEPLOYMENT = "/openai/deployments/d/chat/completions";
  private static final String GENERATE = "/v1beta/models/g:generateContent";

  private static WeighedRequest.Request read(Dialect dialect, String path, byte[] body, int at) {
    RequestReader reader = ProviderProtocol.of(dialect).requestReader(Cases.reading(dialect), path);
    Cases.cut(body, at, reader::feed);
    WeighedRequest weighed = reader.finish();
    if (weighed instanceof WeighedRequest.Request request) {
      return request;
    }
    throw new AssertionError("expected a request, was " + weighed);
  }

  private static String edited(byte[] body, List<BodyEdit> edits) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (ByteBuffer piece : BodyEdits.apply(List.of(ByteBuffer.wrap(body)), edits)) {
      byte[] bytes = new byte[piece.remaining()];
      piece.get(bytes);
      joined.writeBytes(bytes);
    }
    return joined.toString(StandardCharsets.UTF_8);
  }

  /** Checks the body with each member that can state the maximum, wherever it is cut. */
  private static void check(Dialect dialect, String path, String text, String... expected) {
    byte[] body = Cases.bytes(text);
    for (int at = 0; at <= body.length; at++) {
      List<MaximumPlace> places = read(dialect, path, body, at).spots().places();
      assertThat(places).as("cut at %d", at).hasSameSizeAs(expected);
      for (int i = 0; i < expected.length; i++) {
        String edited = edited(body, List.of(places.get(i).stating(600)));
        assertThat(edited).as("cut at %d", at).isEqualTo(expected[i]);
        JsonMapper.shared().readTree(Cases.bytes(edited));
        WeighedRequest.Request again = read(dialect, path, Cases.bytes(edited), 0);
        assertThat(again.content().statedOutputTokens()).isEqualTo(600);
        assertThat(again.spots().places()).as("it states one now").isEmpty();
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{`model`:`m`}|{NEW`model`:`m`}|{OLD`model`:`m`}",
        "{ `é😀`:{`max_tokens`:7,`n`:null}\t, `model`:`m`}"
            + "|{NEW `é😀`:{`max_tokens`:7,`n`:null}\t, `model`:`m`}"
            + "|{OLD `é😀`:{`max_tokens`:7,`n`:null}\t, `model`:`m`}",
        "{`model`:`m`,`max_tokens`:null}"
            + "|{NEW`model`:`m`,`max_tokens`:null}"
            + "|{`model`:`m`,`max_tokens`:600}",
        "{`max_completion_tokens` : null , `max_tokens`: null,`model`:`m`}"
            + "|{`max_completion_tokens` : 600 , `max_tokens`: null,`model`:`m`}"
            + "|{`max_completion_tokens` : null , `max_tokens`: 600,`model`:`m`}",
        "{`model`:`m`,`m\\u0061x_tokens`:null}"
            + "|{NEW`model`:`m`,`m\\u0061x_tokens`:null}"
            + "|{`model`:`m`,`m\\u0061x_tokens`:600}",
      })
  void chat_isMadeToStateEitherMember(String body, String first, String second) {
    String before = "\uFEFF \r\n" + json(body);
    check(
        DialectTable.OPENAI,
        CHAT,
        before,
        "\uFEFF \r\n" + json(first),
        "\uFEFF \r\n" + json(second));
  }

  private static String json(String text) {
    return text.replace("NEW", "`max_completion_tokens`:600,")
        .replace("OLD", "`max_tokens`:600,")
        .replace('`', '"');
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}|{NEW}|{OLD}",
        "{ }|{NEW }|{OLD }",
        "{'model':'m'}|{NEW,'model':'m'}|{OLD,'model':'m'}",
        "{'model':{'a':[1]},'messages':[]}"
            + "|{NEW,'model':{'a':[1]},'messages':[]}|{OLD,'model':{'a':[1]},'messages':[]}",
      })
  void deployment_isMadeToStateIt_whateverElseItsBodyHas(String body, String first, String second) {
    check(DialectTable.AZURE, DEPLOYMENT, members(body), members(first), members(second));
  }

  private static String members(String text) {
    return text.replace("NEW", "'max_completion_tokens':600")
        .replace("OLD", "'max_tokens':600")
        .replace('\'', '"');
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "/v1/completions|{'model':'m'}|{'max_tokens':600,'model':'m'}",
        "/v1/completions|{'max_tokens':null,'model':'m'}|{'max_tokens':600,'model':'m'}",
        "/v1/responses|{'model':'m'}|{'max_output_tokens':600,'model':'m'}",
        "/v1/responses|{'prompt':{'id':'p'}}|{'max_output_tokens':600,'prompt':{'id':'p'}}",
        "/v1/responses|{'model':'m','max_output_tokens':null}"
            + "|{'model':'m','max_output_tokens':600}",
      })
  void otherCalls_areMadeToStateTheirOnlyMember(String path, String body, String expected) {
    check(DialectTable.OPENAI, path, members(body), members(expected));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}|{'generationConfig':{'maxOutputTokens':600}}",
        "{ 'contents':[]}|{'generationConfig':{'maxOutputTokens':600}, 'contents':[]}",
        "{'contents':[],'generationConfig' : { } }"
            + "|{'contents':[],'generationConfig' : {'maxOutputTokens':600 } }",
        "{'generationConfig':{ 'a':{'maxOutputTokens':5}},'contents':[]}"
            + "|{'generationConfig':{'maxOutputTokens':600, 'a':{'maxOutputTokens':5}},"
            + "'contents':[]}",
        "{'generation_config':{'temperature':1}}"
            + "|{'generation_config':{'maxOutputTokens':600,'temperature':1}}",
        "{'generation_config':null,'x':1}|{'generation_config':{'maxOutputTokens':600},'x':1}",
        "{'generationConfig':{'maxOutputTokens':null}}|{'generationConfig':{'maxOutputTokens':600}}",
        "{'generationConfig':{'candidateCount':2,'max_output_tokens': null }}"
            + "|{'generationConfig':{'candidateCount':2,'max_output_tokens': 600 }}",
        "{'x':{'generationConfig':{'maxOutputTokens':null}}}"
            + "|{'generationConfig':{'maxOutputTokens':600},"
            + "'x':{'generationConfig':{'maxOutputTokens':null}}}",
      })
  void gemini_isMadeToStateItInItsConfiguration(String body, String expected) {
    check(DialectTable.GEMINI, GENERATE, members(body), members(expected));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "OPENAI|/v1/chat/completions|{'model':'m','max_tokens': -1 }"
            + "|{'model':'m','max_tokens': 600 }",
        "OPENAI|/v1/chat/completions|{'max_completion_tokens':null,'max_tokens':-1.0,'model':'m'}"
            + "|{'max_completion_tokens':null,'max_tokens':600,'model':'m'}",
        "OPENAI|/v1/completions|{'model':'m','max_tokens':'-1'}|{'model':'m','max_tokens':600}",
        "OPENAI|/v1/responses|{'max_output_tokens':-1e0}|{'max_output_tokens':600}",
        "ANTHROPIC|/v1/messages|{'max_tokens':-1,'model':'m'}|{'max_tokens':600,'model':'m'}",
        "MISTRAL|/v1/chat/completions|{'model':'m','max_tokens':-2}|{'model':'m','max_tokens':600}",
        "AZURE|/openai/deployments/d/chat/completions|{'max_tokens':-1}|{'max_tokens':600}",
        "GEMINI|/v1beta/models/g:generateContent|{'generation_config':{'max_output_tokens':'-1'}}"
            + "|{'generation_config':{'max_output_tokens':600}}",
      })
  void negativeMaximum_isReplaced_inEveryDialect(
      @ConvertWith(DialectName.class) ProviderProtocol dialect,
      String path,
      String body,
      String expected) {
    check(dialect, path, "\uFEFF" + members(body), "\uFEFF" + members(expected));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "OPENAI|/v1/chat/completions|{'model':'m','max_tokens':0}",
        "OPENAI|/v1/chat/completions|{'model':'m','max_tokens':null,'max_completion_tokens':7}",
        "OPENAI|/v1/chat/completions|{'model':'m','m\\u0061x_tokens':7}",
        "OPENAI|/v1/completions|{'model':'m','max_tokens':7}",
        "OPENAI|/v1/responses|{'model':'m','max_output_tokens':7}",
        "OPENAI|/v1/responses/compact|{'model':'m'}",
        "OPENAI|/v1/embeddings|{'model':'m'}",
        "OPENAI|/v1/images/generations|{'model':'m'}",
        "AZURE|/openai/deployments/d/chat/completions|{'max_tokens':7}",
        "ANTHROPIC|/v1/messages|{'model':'m'}",
        "ANTHROPIC|/v1/complete|{'model':'m'}",
        "GEMINI|/v1beta/models/g:generateContent|{'generation_config':{'max_output_tokens':'7'}}",
        "GEMINI|/v1beta/models/g:embedContent|{}",
      })
  void whatStatesOne_orTakesNone_isLeftAlone(
      @ConvertWith(DialectName.class) ProviderProtocol dialect, String path, String body) {
    byte[] bytes = Cases.bytes(members(body));
    assertThat(read(dialect, path, bytes, 0).spots().places()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"0", "1"})
  void stream_isMadeToAskForItsUsageToo(int member) {
    byte[] body = Cases.bytes("{\"stream\":true,\"model\":\"m\"}");
    WeighedRequest.Spots spots = read(DialectTable.OPENAI, CHAT, body, 3).spots();
    MaximumPlace place = spots.places().get(member);
    List<BodyEdit> edits = new ArrayList<>(List.of(place.stating(600)));
    edits.add(spots.asksUsage());
    edits.add(new BodyEdit(spots.modelAt(), spots.modelLength(), "\"n\""));
    edits.sort(Comparator.comparingLong(BodyEdit::at));
    assertThat(JsonMapper.shared().readTree(edited(body, edits)))
        .isEqualTo(
            JsonMapper.shared()
                .readTree(
                    "{\"%s\":600,\"stream_options\":{\"include_usage\":true},"
                            .formatted(place.member())
                        + "\"stream\":true,\"model\":\"n\"}"));
  }
}
