package io.penstock.provider.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.provider.ProviderProtocol;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The user that a request names. */
class UserTest {
  private static WeighedRequest weigh(Dialect dialect, String path, String members) {
    EndpointSpec.Reading reading = EndpointSetup.reading(dialect, CostSource.BODY, 1, 256, 1 << 20);
    RequestReader reader = ProviderProtocol.of(dialect).requestReader(reading, path);
    String body = "{\"model\":\"m\"" + members + "}";
    reader.feed(ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)));
    return reader.finish();
  }

  private static String user(Dialect dialect, String path, String members) {
    if (weigh(dialect, path, members) instanceof WeighedRequest.Request request) {
      return String.valueOf(request.user());
    }
    throw new AssertionError("refused: " + members);
  }

  private static String chat(String members) {
    return user(DialectTable.OPENAI, "/v1/chat/completions", members);
  }

  private static String messages(String members) {
    return user(DialectTable.ANTHROPIC, "/v1/messages", members);
  }

  @Test
  void user_isRead() {
    assertThat(chat(",\"user\":\"u-1\"")).isEqualTo("u-1");
    assertThat(user(DialectTable.OPENAI, "/v1/embeddings", ",\"user\":\"u-2\"")).isEqualTo("u-2");
    assertThat(messages(",\"metadata\":{\"a\":\"b\",\"user_id\":\"u-3\"}")).isEqualTo("u-3");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "user_0a1b_account__session_57a121ec-f78c | user_0a1b",
        "user_0a1b_account_3f_session_57a121ec-f78c | user_0a1b",
        "{\\\"device_id\\\":\\\"d-1\\\",\\\"session_id\\\":\\\"s\\\"} | d-1",
        "{\\\"session_id\\\":\\\"s\\\"} | {\"session_id\":\"s\"}",
        "{\\\"device_id\\\":7} | {\"device_id\":7}",
        "{device | {device",
        "user_account_session | user_account_session",
        "ann_session_2 | ann_session_2",
      })
  void userOfClaudeCode_isTheDevice(String stated, String user) {
    assertThat(messages(",\"metadata\":{\"user_id\":\"" + stated + "\"}")).isEqualTo(user);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",\"user\":null",
        ",\"user\":7",
        ",\"user\":[\"a\"]",
        ",\"metadata\":{\"user\":\"a\"}",
        ",\"messages\":[{\"user\":\"a\"}]",
        ",\"user\":\"a\",\"user\":null",
      })
  void whatIsNoUserOfAChat_isNobody(String members) {
    assertThat(chat(members)).isEqualTo("null");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",\"user_id\":\"a\"",
        ",\"user\":\"a\"",
        ",\"metadata\":\"a\"",
        ",\"metadata\":{\"user_id\":null}",
        ",\"metadata\":{\"x\":{\"user_id\":\"a\"}}",
        ",\"metadata\":{\"user_id\":\"a\"},\"metadata\":{}",
      })
  void whatIsNoUserOfAMessage_isNobody(String members) {
    assertThat(messages(members)).isEqualTo("null");
  }

  @Test
  void userOfAnyLength_isReadToItsBound() {
    String longest = "x".repeat(4_096);
    assertThat(chat(",\"user\":\"" + longest + "\"")).isEqualTo(longest);
    assertThat(chat(",\"user\":\"" + longest + "x\"")).isEqualTo("null");
  }
}
