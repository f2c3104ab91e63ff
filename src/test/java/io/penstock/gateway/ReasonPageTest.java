package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dialect.DialectTable;
import io.penstock.fake.GoldenRecords;
import io.penstock.provider.ProviderProtocol;
import io.penstock.provider.RefusedCall;
import io.penstock.refusal.ReasonGuide;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the page of all reasons with the reasons. */
@Tag(GoldenRecords.TAG)
class ReasonPageTest {
  private static final String BEGINNING =
      """
      # Reasons of refusals

      Every refusal carries `x-penstock-reason`. This page says what each reason means. It is made \
      from the program: `mvn verify -Pgolden` writes it.

      `penstock why ID` and `GET /tickets/ID` at the operator port tell why the request with that \
      `x-request-id` was refused. Refusals are kept for an hour: at most 10,000, and at most 1,000 \
      of one key. Requests without a key count as those of one key.

      """;

  @Test
  void page_hasEachReason() {
    StringBuilder page = new StringBuilder(BEGINNING);
    page.append("| reason | status | when | the client should | the operator can |\n");
    page.append("|---|---|---|---|---|\n");
    for (RefusalReason reason : RefusalReason.values()) {
      ReasonGuide guide = ReasonGuide.of(reason);
      page.append("| <a id=\"%1$s\"></a>`%1$s` | ".formatted(reason.code()))
          .append(statuses(reason))
          .append(" | ")
          .append(String.join(" | ", guide.when(), guide.client(), guide.operator()))
          .append(" |\n");
    }
    GoldenRecords.check("../../docs/reasons.md", page.toString());
  }

  /** Returns the status, followed by others with the dialects that have them. */
  private static String statuses(RefusalReason reason) {
    Map<Integer, List<String>> dialects = new LinkedHashMap<>();
    Refusal refusal = Refusal.of(reason, "a detail");
    for (ProviderProtocol each : DialectTable.ALL) {
      int status = each.refusalBody(refusal, RefusedCall.of("id")).status();
      dialects.computeIfAbsent(status, absent -> new ArrayList<>()).add(each.text());
    }
    int permit = ProviderProtocol.permitRefusal(refusal, null).status();
    dialects.computeIfAbsent(permit, absent -> new ArrayList<>()).add("permits");
    List<String> texts = new ArrayList<>();
    dialects.forEach(
        (status, names) ->
            texts.add(
                dialects.size() == 1 ? "" + status : status + ": " + String.join(", ", names)));
    return String.join("; ", texts);
  }

  @Test
  void guide_hasTextsOfReasonsOnly() throws Exception {
    Properties texts = new Properties();
    try (var file = ReasonGuide.class.getResourceAsStream("reasons.properties")) {
      texts.load(file);
    }
    assertThat(texts).hasSize(3 * RefusalReason.values().length);
  }
}
