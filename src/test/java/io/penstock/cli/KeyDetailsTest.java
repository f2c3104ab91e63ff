package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KeyDetailsTest {
  private static Stream<String> details(String json) {
    StringWriter out = new StringWriter();
    KeyDetails.print(CommandJson.read(json), new PrintWriter(out));
    return out.toString().lines().map(line -> line.replaceAll(" {2,}", " | "));
  }

  private static List<String> listed(String json) {
    StringWriter out = new StringWriter();
    KeyTable table = new KeyTable();
    table.add(CommandJson.read(json));
    table.print(new PrintWriter(out));
    return List.of(out.toString().lines().toList().getLast().split(" {2,}"));
  }

  @Test
  void limitThatIsZeroOrAbsent_isUnlimited() {
    assertThat(details("{\"rpm\":0,\"tpm\":5}"))
        .contains(
            "requests per minute | unlimited",
            "tokens per minute | 5",
            "requests per day | unlimited");
  }

  @Test
  void instantsThatTheGatewayTells_areShown() {
    String told =
        """
        {"created_at":"2026-11-01T08:00:00Z","last_used_at":"2026-11-02T09:30:00.125Z",\
        "expires_at":"2027-01-31T00:00:00Z"}\
        """;
    assertThat(details(told))
        .contains(
            "created | 2026-11-01T08:00:00Z",
            "last used | 2026-11-02T09:30:00.125Z (seen by this instance)",
            "expires | 2027-01-31T00:00:00Z");
    assertThat(listed(told)).endsWith("2026-11-01T08:00:00Z", "2026-11-02T09:30:00Z", "2027-01-31");
  }

  @Test
  void useOfLimits_isToldInWords_andRefusalsByReason() {
    assertThat(
            details(
                """
                {"limits":[
                  {"owner":"key a","allows":"9 tokens a day","used":4,"left":5,
                   "resets_at":"2026-11-03T00:00:00Z"},
                  {"owner":"group t","allows":"2 requests a minute","used":0,"left":2,
                   "resets_at":null,"shared":true}],
                 "refused_last_hour":{"key_rpm":3,"key_budget":1}}
                """))
        .contains(
            "key a | 4 used of 9 tokens a day, 5 left, all of it at 2026-11-03T00:00:00Z",
            "group t | 0 used of 2 requests a minute, 2 left (as last heard of all instances)",
            "refused in an hour | 3 for key_rpm, 1 for key_budget (by this instance)");
  }

  @Test
  void instantsThatAreNotTold_areUnknown() {
    assertThat(details("{}"))
        .contains(
            "created | unknown: the gateway does not say",
            "last used | unknown: the gateway does not say",
            "expires | never");
    assertThat(details("{\"created_at\":null,\"last_used_at\":null}"))
        .contains("created | unknown: the gateway does not say")
        .contains("last used | never since this instance started");
    assertThat(listed("{\"name\":\"a\",\"source\":\"store\"}"))
        .containsExactly("a", "store", "-", "-", "-", "-", "-", "-", "-", "-");
  }

  @Test
  void limitsForModels_areSentences() {
    assertThat(details("{\"models\":{\"m\":{\"rpm\":5,\"tpm\":0},\"n\":{\"rpm\":0,\"tpm\":7}}}"))
        .contains(
            "limits for models | m: 5 requests and unlimited tokens per minute; n: unlimited"
                + " requests and 7 tokens per minute");
  }

  @Test
  void termOfANewerGateway_isShownUnderItsName() {
    assertThat(details("{\"colour\":\"blue\",\"shades\":[1,2]}"))
        .contains("colour | blue", "shades | 1, 2");
  }
}
