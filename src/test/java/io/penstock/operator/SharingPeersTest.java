package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.event.Event;
import io.penstock.event.Event.Synced.Change;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SharingPeersTest {
  private final SharingPeers sharingPeers = new SharingPeers();

  private void told(@Nullable String sharing, Change change, long members) {
    sharingPeers.publish(new Event.Synced(0, sharing, change, members, change + " it is"));
  }

  private String json() {
    return OperatorJson.text(sharingPeers.standings());
  }

  @Test
  void instanceThatSharesNothing_hasNoStanding() {
    sharingPeers.publish(new Event.Reloaded(0, true, "one endpoint"));
    assertThat(json()).isEqualTo("[]");
  }

  @Test
  void eachKindOfLimits_hasAStandingOfItsOwn() {
    told("exact", Change.JOINING, 1);
    told("eventual", Change.JOINED, 0);
    told("exact", Change.CUT_OFF, 2);
    assertThat(json())
        .isEqualTo(
            """
            [\
            {"sharing":"eventual","change":"joined","well":true,"detail":"JOINED it is"},\
            {"sharing":"exact","change":"cut off","well":false,"detail":"CUT_OFF it is"}]\
            """);
    told("exact", Change.REJOINED, 2);
    assertThat(sharingPeers.standings()).allMatch(SharingPeers.Standing::well);
  }
}
