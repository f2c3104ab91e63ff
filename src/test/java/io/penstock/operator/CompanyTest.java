package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.event.Event;
import io.penstock.event.Event.Synced.Change;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CompanyTest {
  private final Company company = new Company();

  private void told(@Nullable String sharing, Change change, long members) {
    company.publish(new Event.Synced(0, sharing, change, members, change + " it is"));
  }

  private String json() {
    return Json.text(company.view());
  }

  @Test
  void whoSharesNothing_isAlone() {
    company.publish(new Event.Reloaded(0, true, "one endpoint"));
    assertThat(json()).isEqualTo("{\"members\":1,\"sync\":[]}");
  }

  @Test
  void numberOfMembers_isTheOneToldLast() {
    told("exact", Change.JOINED, 2);
    told(null, Change.MEMBERS, 3);
    told("eventual", Change.JOINED, 0);
    assertThat(company.view().members()).isEqualTo(3);
  }

  @Test
  void eachKindOfLimits_hasAStandingOfItsOwn() {
    told("exact", Change.JOINING, 1);
    told("eventual", Change.JOINED, 0);
    told("exact", Change.CUT_OFF, 2);
    assertThat(json())
        .isEqualTo(
            """
            {"members":2,"sync":[\
            {"sharing":"eventual","change":"joined","well":true,"detail":"JOINED it is"},\
            {"sharing":"exact","change":"cut off","well":false,"detail":"CUT_OFF it is"}]}\
            """);
    told("exact", Change.REJOINED, 2);
    assertThat(company.view().sync()).allMatch(Company.Standing::well);
  }
}
