package io.penstock.provider.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.Cases;
import io.penstock.suite.Hostile;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which requests make their provider add input that the body does not contain. */
class UnseenInputTest {
  private static final String MESSAGES = "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]";

  private static boolean unseen(Dialect dialect, String path, String body) {
    WeighedRequest weighed = Cases.weigh(dialect, path, Cases.bytes(body.replace('\'', '"')));
    assertThat(weighed).isInstanceOf(WeighedRequest.Request.class);
    return ((WeighedRequest.Request) weighed).content().unseenInput();
  }

  private static boolean chat(String members) {
    String body = "{'model':'m'," + MESSAGES + "," + members + "}";
    return unseen(DialectTable.OPENAI, "/v1/chat/completions", body);
  }

  private static boolean part(String part) {
    String body = "{'model':'m','messages':[{'role':'user','content':[" + part + "]}]}";
    return unseen(DialectTable.OPENAI, "/v1/chat/completions", body);
  }

  private static boolean response(String members) {
    return unseen(DialectTable.OPENAI, "/v1/responses", "{'model':'m'," + members + "}");
  }

  private static boolean message(String members) {
    String body = "{'model':'m','max_tokens':9," + members + "}";
    return unseen(DialectTable.ANTHROPIC, "/v1/messages", body);
  }

  private static boolean content(String members) {
    return unseen(DialectTable.GEMINI, "/v1beta/models/m:generateContent", "{" + members + "}");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "'web_search_options':{}",
        "'data_sources':[{'type':'azure_search'}]",
        "'dataSources':[{}]",
        "'search_parameters':{'mode':'on'}",
        "'plugins':[{'id':'web'}]",
        "'enable_search':true",
        "'tools':[{'type':'function','function':{}},{'type':'browser_search'}]",
        "'tools':[{'type':'openrouter:web_search'}]",
        "'tools':['web']",
        "'tools':[{'type':'a type that is longer than any of a tool that anybody has ever made"
            + " up'}]"
      })
  void chat_withWhatTheProviderSearches(String members) {
    assertThat(chat(members)).isTrue();
    String body = "{" + MESSAGES + "," + members + "}";
    String path = "/openai/deployments/d/chat/completions";
    assertThat(unseen(DialectTable.AZURE, path, body)).isTrue();
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'type':'file','file':{'file_id':'f'}}",
        "{'type':'document_url','document_url':'https://a.example'}",
        "{'type':'video_url','video_url':{'url':'https://a.example'}}",
        "{'audio':{'id':'audio_1'}}"
      })
  void chat_withAFileThatTheProviderHas(String part) {
    assertThat(part(part)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'web_search_options':null",
        "'enable_search':false",
        "'plugins':[]",
        "'tools':[]",
        "'tools':[{'type':'function','function':{'name':'f','parameters':{'type':'object'}}}]",
        "'tools':[{'type':'custom'},{'function':{}}]",
        "'user':'x'"
      })
  void chat_thatIsAllInItsBody(String members) {
    assertThat(chat(members)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'type':'text','text':'id'}",
        "{'type':'image_url','image_url':{'url':'https://a.example'}}",
        "{'type':'file','file':{'file_data':'data:application/pdf;base64,AAAA'}}",
        "{'type':'input_audio','input_audio':{'data':'AAAA'}}"
      })
  void chat_withAttachmentsInItsBody(String part) {
    assertThat(part(part)).isFalse();
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "'input':'Hi','previous_response_id':'resp_1'",
        "'input':'Hi','previous_response_id':'resp_1','previous_response_id':null",
        "'input':'Hi','conversation':'conv_1'",
        "'input':'Hi','conversation':{'id':'conv_1'}",
        "'prompt':{'id':'pmpt_1'}",
        "'input':'Hi','tools':[{'type':'web_search'}]",
        "'input':'Hi','tools':[{'type':'file_search','vector_store_ids':['v']}]",
        "'input':'Hi','tools':[{'type':'mcp','server_url':'https://a.example'}]",
        "'input':[{'type':'item_reference','id':'msg_1'}]",
        "'input':[{'type':'web_search_call','id':'ws_1'}]",
        "'input':[{'role':'user','content':[{'type':'input_file','file_id':'f'}]}]",
        "'input':[{'role':'user','content':[{'type':'input_file','file_url':'u'}]}]"
      })
  void response_thatRefersToWhatTheProviderHas(String members) {
    assertThat(response(members)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'input':'Hi'",
        "'input':'Hi','previous_response_id':null,'conversation':null,'prompt':null",
        "'input':[{'type':'function_call','call_id':'c','name':'f','arguments':'{}'}]",
        "'input':[{'role':'user','content':[{'type':'input_text','text':'Hi'}]}],"
            + "'tools':[{'type':'function','name':'f'}]"
      })
  void response_thatIsAllInItsBody(String members) {
    assertThat(response(members)).isFalse();
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "'mcp_servers':[{'type':'url','url':'https://a.example'}]",
        "'container':'container_1'",
        "'container':{'skills':[{'skill_id':'pptx'}]}",
        "'tools':[{'type':'web_search_20250305','name':'web_search'}]",
        "'tools':[{'name':'mine','input_schema':{}},{'type':'code_execution_20250825'}]",
        "'messages':[{'content':[{'type':'document','source':{'type':'url','url':'u'}}]}]",
        "'messages':[{'content':[{'type':'image','source':{'type':'file','file_id':'f'}}]}]",
        "'messages':[{'content':[{'type':'container_upload','file_id':'f'}]}]"
      })
  void message_withToolsOrFilesOfTheProvider(String members) {
    assertThat(message(members)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        MESSAGES,
        "'mcp_servers':[],'container':null",
        "'tools':[{'name':'mine','input_schema':{'type':'object'}},{'type':'custom'}]",
        "'messages':[{'content':[{'type':'image','source':{'type':'url','url':'u'}}]}]",
        "'messages':[{'content':[{'source':{'type':'text','media_type':'text/plain','data':'x'}}]}]"
      })
  void message_thatIsAllInItsBody(String members) {
    assertThat(message(members)).isFalse();
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "'cachedContent':'cachedContents/1'",
        "'cached_content':'cachedContents/1'",
        "'tools':[{'googleSearch':{}}]",
        "'tools':[{'google_search':{}}]",
        "'tools':{'urlContext':{}}",
        "'tools':[{'functionDeclarations':[],'codeExecution':{}}]",
        "'contents':[{'parts':[{'fileData':{'fileUri':'u'}}]}]",
        "'contents':{'parts':{'file_data':{'file_uri':'u'}}}"
      })
  void content_withToolsOrFilesOfTheProvider(String members) {
    assertThat(content(members)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'contents':[{'parts':[{'text':'Hi'}]}]",
        "'cachedContent':null,'tools':[]",
        "'tools':[{'functionDeclarations':[{'name':'f','parameters':{'type':'object'}}]}]",
        "'tools':{'function_declarations':[{'name':'f'}]}",
        "'contents':[{'parts':[{'inlineData':{'mimeType':'image/png','data':'AAAA'}}]}]"
      })
  void content_thatIsAllInItsBody(String members) {
    assertThat(content(members)).isFalse();
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(strings = {"'agent_id':'ag_1'"})
  void agentOfMistral_hasInstructionsOfItsOwn(String members) {
    String body = "{" + MESSAGES + "," + members + "}";
    assertThat(unseen(DialectTable.MISTRAL, "/v1/agents/completions", body)).isTrue();
    assertThat(
            unseen(DialectTable.MISTRAL, "/v1/chat/completions", "{'model':'m'," + MESSAGES + "}"))
        .isFalse();
  }
}
