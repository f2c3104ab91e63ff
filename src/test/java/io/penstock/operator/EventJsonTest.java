package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.ModelOperation;
import io.penstock.dialect.DialectTable;
import io.penstock.event.Event;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventJsonTest {
  private static final String AT = "{\"at\":\"1970-01-01T00:00:07Z\"";
  private static final String TICKET = AT + ",\"endpoint\":\"/a\",\"ticket\":4";

  /** The clock is 10 s after the epoch and 5 s after the ticker's origin; events are 3 s old. */
  private final EventJson json = new EventJson(() -> 5_000_000_000L, () -> 10_000L);

  private static final long THEN = 2_000_000_000L;

  @Test
  void eachEvent_hasItsNameAndItsDataOnOneLine() {
    says(
        new Event.Queued(THEN, "/a", 4, new Cost(1, 2, 3)),
        "queued",
        TICKET + ",\"input_tokens\":1,\"output_tokens\":2}");
    says(
        new Event.Released(THEN, "/a", 4, "u", null, new Cost(1, 2, 3), 1_999_999),
        "released",
        TICKET
            + ",\"upstream\":\"u\",\"model\":null,\"input_tokens\":1,\"output_tokens\":2"
            + ",\"waited_ms\":1}");
    says(new Event.Served(THEN, "/a", 4), "served", TICKET + "}");
    says(new Event.Cancelled(THEN, "/a", 4), "cancelled", TICKET + "}");
    says(
        new Event.Settled(THEN, "/a", 4, null, "m", 1, 3, 2),
        "settled",
        TICKET
            + ",\"upstream\":null,\"model\":\"m\",\"reserved_tokens\":1,\"used_tokens\":3"
            + ",\"overrun_tokens\":2}");
    says(
        new Event.FirstOutput(
            THEN, "/a", "u", "m", DialectTable.OPENAI, ModelOperation.CHAT, 1_234_000_000L),
        "first_output",
        AT + ",\"endpoint\":\"/a\",\"upstream\":\"u\",\"model\":\"m\",\"took_ms\":1234}");
    says(
        new Event.Estimated(THEN, "/a", "m", 10, 11),
        "estimated",
        AT
            + ",\"endpoint\":\"/a\",\"model\":\"m\",\"expected_input_tokens\":10"
            + ",\"used_input_tokens\":11}");
    says(
        new Event.ParametersIgnored(THEN, "/a", List.of("?timeout", "X-Priority")),
        "parameters_ignored",
        AT + ",\"endpoint\":\"/a\",\"parameters\":[\"?timeout\",\"X-Priority\"]}");
    says(
        new Event.Reloaded(THEN, true, "4 endpoints"),
        "config",
        AT + ",\"applied\":true,\"detail\":\"4 endpoints\"}");
    says(
        new Event.Synced(THEN, "exact", Event.Synced.Change.CUT_OFF, 3, "they wait"),
        "sync",
        AT
            + ",\"sharing\":\"exact\",\"change\":\"cut_off\",\"members\":3"
            + ",\"detail\":\"they wait\"}");
    says(
        new Event.Synced(THEN, null, Event.Synced.Change.MEMBERS, 0, "some"),
        "sync",
        AT + ",\"sharing\":null,\"change\":\"members\",\"members\":null" + ",\"detail\":\"some\"}");
  }

  @Test
  void shadows_sayHowLongTheyWouldHaveWaited_orWhyNot() {
    says(
        new Event.Shadowed(THEN, "/a", 4, 1_999_999, null),
        "shadowed",
        TICKET + ",\"waited_ms\":1}");
    says(
        new Event.Shadowed(THEN, "/a", 4, 0, Refusal.of(RefusalReason.QUEUE_TIMEOUT, "late")),
        "shadowed",
        TICKET
            + ",\"waited_ms\":0,\"reason\":\"queue_timeout\",\"status\":429"
            + ",\"detail\":\"late\",\"retry_after_ms\":1000}");
  }

  @Test
  void refusals_sayWhy() {
    says(
        new Event.Refused(
            THEN, "/a", 4, new Refusal(RefusalReason.QUEUE_FULL, "full", 1_500_000_000)),
        "refused",
        TICKET
            + ",\"reason\":\"queue_full\",\"status\":429,\"detail\":\"full\""
            + ",\"retry_after_ms\":1500}");
    says(
        new Event.Refused(THEN, "/a", 4, Refusal.of(RefusalReason.BAD_REQUEST, "bad")),
        "refused",
        TICKET + ",\"reason\":\"bad_request\",\"status\":400,\"detail\":\"bad\"}");
    says(
        new Event.Expired(THEN, "/a", 4, Refusal.of(RefusalReason.QUEUE_TIMEOUT, "late")),
        "expired",
        TICKET
            + ",\"reason\":\"queue_timeout\",\"status\":429,\"detail\":\"late\""
            + ",\"retry_after_ms\":1000}");
  }

  private void says(Event event, String name, String data) {
    assertThat(EventJson.name(event)).isEqualTo(name);
    assertThat(json.data(event, null)).isEqualTo(data);
  }

  @Test
  void modelThatAClientMadeUp_staysWithinItsLine() {
    String hostile = "m\r\n\r\nevent: served\n\"}\ud800";
    String data = json.data(new Event.Settled(THEN, "/a", 4, null, hostile, 1, 1, 0), null);
    assertThat(data).doesNotContain("\n", "\r").contains("\\r\\n\\r\\nevent: served\\n\\\"}");
  }
}
