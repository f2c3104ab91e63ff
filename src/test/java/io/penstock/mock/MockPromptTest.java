package io.penstock.mock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class MockPromptTest {
  private static final String MESSAGE = "'messages':[{'role':'user','content':'Hi'}]";

  private static JsonNode json(String json) {
    return JsonMapper.shared().readTree(json.replace('\'', '"'));
  }

  private static List<MockPrompt.Block> blocks(String json) {
    assertThat(MockPrompt.fault(json(json))).isNull();
    return MockPrompt.of(json(json)).blocks();
  }

  @Test
  void blocks_areToolsThenSystemThenMessages() {
    List<MockPrompt.Block> blocks =
        blocks(
            "{"
                + MESSAGE
                + ",'system':'Be"
                + " kind.','tools':[{'name':'t','cache_control':{'type':'ephemeral'}}]}");
    assertThat(blocks).extracting(MockPrompt.Block::tokens).containsExactly(3L, 5L, 10L);
    assertThat(blocks)
        .extracting(MockPrompt.Block::mark)
        .containsExactly(MockPrompt.Life.FIVE_MINUTES, null, null);
  }

  @Test
  void textAlone_isTheSameAsOneBlockOfText_whateverItsMark() {
    String list = "{'messages':[{'role':'user','content':[{'type':'text','text':'Hi'%s}]}]}";
    String plain = blocks("{" + MESSAGE + "}").getFirst().prefix();
    assertThat(blocks(list.formatted("")).getFirst().prefix()).isEqualTo(plain);
    assertThat(
            blocks(list.formatted(",'cache_control':{'type':'ephemeral','ttl':'1h'}")).getFirst())
        .isEqualTo(new MockPrompt.Block(plain, 5, MockPrompt.Life.HOUR));
  }

  @Test
  void markOfTheWholeRequest_marksItsLastBlock() {
    List<MockPrompt.Block> blocks =
        blocks("{'system':'Be kind.','cache_control':{'type':'ephemeral'}," + MESSAGE + "}");
    assertThat(blocks)
        .extracting(MockPrompt.Block::mark)
        .containsExactly(null, MockPrompt.Life.FIVE_MINUTES);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'type':'ephemeral','ttl':'2h'}|expected type ephemeral",
        "{'type':'lasting'}|expected type ephemeral",
        "7|expected type ephemeral"
      })
  void markThatIsNotKnown_isRefused(String mark, String message) {
    MockAsk.Refused fault =
        MockPrompt.fault(
            json("{'system':[{'type':'text','text':'a','cache_control':" + mark + "}]}"));
    assertThat(fault).isNotNull();
    assertThat(fault.message()).contains(message);
  }

  private static String marked(String... lives) {
    StringBuilder system = new StringBuilder();
    for (String life : lives) {
      system.append(system.isEmpty() ? "" : ",");
      system.append("{'type':'text','text':'a','cache_control':{'type':'ephemeral','ttl':'");
      system.append(life).append("'}}");
    }
    return "{'system':[" + system + "]}";
  }

  @Test
  void fourMarks_accepted_five_refused() {
    assertThat(blocks(marked("1h", "1h", "5m", "5m"))).hasSize(4);
    MockAsk.Refused fault = MockPrompt.fault(json(marked("5m", "5m", "5m", "5m", "5m")));
    assertThat(fault).isNotNull();
    assertThat(fault.message()).contains("A maximum of 4").contains("Found 5");
  }

  @Test
  void anHourAfterFiveMinutes_refused() {
    assertThat(MockPrompt.fault(json(marked("5m", "1h")))).isNotNull();
  }

  @Test
  void emptyTextWithAMark_refused() {
    String empty = "{'system':[{'type':'text','text':'','cache_control':{'type':'ephemeral'}}]}";
    assertThat(MockPrompt.fault(json(empty))).isNotNull();
  }
}
