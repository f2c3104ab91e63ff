package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.event.Event;
import io.penstock.operator.EventText.EventTone;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventTextTest {
  private static void assertLine(Event event, EventTone tone, String... words) {
    EventText text = EventText.of(event);
    assertThat(text).isNotNull();
    assertThat(text.tone()).isEqualTo(tone);
    assertThat(text.words()).containsExactly(words);
  }

  @Test
  void ticketEvents_haveTheirFigures() {
    assertLine(new Event.Queued(0, "/a", 1, new Cost(5, 100, 3)), EventTone.NEWS, "105 tokens");
    assertLine(
        new Event.Released(0, "/a", 1, "u", "m", Cost.NO_TOKENS, 1_500_000_000),
        EventTone.PLAIN,
        "waited 1.5s",
        "to u",
        "model m");
    assertLine(
        new Event.Released(0, "/a", 1, null, null, Cost.NO_TOKENS, 0),
        EventTone.PLAIN,
        "waited 0ms");
    assertLine(new Event.Served(0, "/a", 1), EventTone.GOOD);
    assertLine(new Event.Cancelled(0, "/a", 1), EventTone.FAIR);
    Refusal late = Refusal.of(RefusalReason.QUEUE_TIMEOUT, "too long");
    assertLine(new Event.Refused(0, "/a", 1, late), EventTone.BAD, "queue_timeout", "too long");
    assertLine(new Event.Expired(0, "/a", 1, late), EventTone.BAD, "queue_timeout", "too long");
    assertLine(new Event.Shadowed(0, "/a", 1, 2_000_000, null), EventTone.ODD, "waited 2ms");
    assertLine(new Event.Shadowed(0, "/a", 1, 0, late), EventTone.ODD, "queue_timeout", "too long");
  }

  @Test
  void settlement_isALineIfTheUsageIsNotTheReservation() {
    assertThat(EventText.of(new Event.Settled(0, "/a", 1, null, null, 40, 40, 0))).isNull();
    assertLine(
        new Event.Settled(0, "/a", 1, null, null, 40, 60, 20),
        EventTone.ODD,
        "used 60 of 40 reserved tokens");
    assertLine(
        new Event.Settled(0, "/a", 1, null, null, 12_345, 60, 0),
        EventTone.PLAIN,
        "used 60 of 12.3K reserved tokens");
  }

  @Test
  void eventsOfTheGateway_sayWhatChanged() {
    assertLine(new Event.Reloaded(0, true, "3 endpoints"), EventTone.ODD, "3 endpoints");
    assertLine(
        new Event.Reloaded(0, false, "a.yaml:1:1: no"),
        EventTone.ODD,
        "kept the old one",
        "a.yaml:1:1: no");
    assertLine(
        new Event.Synced(0, "exact", Event.Synced.Change.CUT_OFF, 3, "they wait"),
        EventTone.ODD,
        "exact",
        "cut off",
        "3 members",
        "they wait");
    assertThat(EventText.of(new Event.Estimated(0, "/a", "m", 10, 11))).isNull();
    assertThat(EventText.of(new Event.ParametersIgnored(0, "/a", List.of("?timeout")))).isNull();
  }

  @Test
  void line_hasItsTextAfterItsData() {
    EventJson json = new EventJson(() -> 0, () -> 0);
    Event queued = new Event.Queued(0, "/a", 1, new Cost(1, 0, 0));
    assertThat(json.data(queued, EventText.of(queued)))
        .endsWith("\"tone\":\"news\",\"words\":[\"1 tokens\"]}");
    assertThat(EventJson.lost(12_345, false)).isEqualTo("{\"events\":12345}");
    assertThat(EventJson.lost(12_345, true))
        .startsWith("{\"events\":12345,\"tone\":\"bad\",\"words\":[\"12.3K events");
  }
}
