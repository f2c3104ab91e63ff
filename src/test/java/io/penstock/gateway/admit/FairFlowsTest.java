package io.penstock.gateway.admit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketRequest;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.suite.Hostile;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;

class FairFlowsTest {
  private static final FairBy TEAM = new FairBy.Header("X-Team");

  private static HttpHeaders team(String name) {
    HttpHeaders headers = new HttpHeaders();
    headers.set("x-team", name);
    return headers;
  }

  @Test
  void header_namesTheFlow() {
    assertThat(FairFlows.of(TEAM, team("blue"), "someone"))
        .isEqualTo(new TicketRequest.Flow("blue", 1));
  }

  @Test
  void whoDoesNotSay_isAnonymous() {
    assertThat(FairFlows.of(TEAM, new HttpHeaders(), "someone"))
        .isEqualTo(TicketRequest.Flow.ANONYMOUS);
    assertThat(FairFlows.of(TEAM, team(""), "someone")).isEqualTo(TicketRequest.Flow.ANONYMOUS);
    assertThat(FairFlows.of(TEAM, team(" "), "someone")).isEqualTo(TicketRequest.Flow.ANONYMOUS);
    assertThat(FairFlows.of(new FairBy.BodyUser(), team("blue"), null))
        .isEqualTo(TicketRequest.Flow.ANONYMOUS);
  }

  @Test
  void key_isNobodysYet() {
    assertThat(FairFlows.of(new FairBy.Key(), team("blue"), "someone"))
        .isEqualTo(TicketRequest.Flow.ANONYMOUS);
  }

  @Test
  void body_namesTheFlow() {
    assertThat(FairFlows.of(new FairBy.BodyUser(), team("blue"), "someone").name())
        .isEqualTo("someone");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void longNames_areNotKept_andStayApart() {
    String longest = "x".repeat(256);
    assertThat(FairFlows.of(TEAM, team(longest), null).name()).isEqualTo(longest);
    String a = FairFlows.of(TEAM, team(longest + "a"), null).name();
    assertThat(a)
        .hasSize("sha256:".length() + 64)
        .isEqualTo(FairFlows.of(TEAM, team(longest + "a"), null).name())
        .isNotEqualTo(FairFlows.of(TEAM, team(longest + "b"), null).name());
  }
}
