package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.FakeCallers;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of what is refused at arrival because of its estimated wait, and of the bounds. */
class WaitEstimateTest {
  private final EndpointFixture endpointFixture = new EndpointFixture();

  private static UpstreamSpec upstream(UpstreamSpec.Limits limits, int burstSeconds) {
    return UpstreamSetup.of("u").limits(limits).burstSeconds(burstSeconds).spec();
  }

  private Endpoint open(long rpm, int burstSeconds, long queueTimeoutNanos) {
    UpstreamSpec.Limits limits = new UpstreamSpec.Limits(rpm, 0, 0, 0, 0, 0);
    return endpointFixture.open(
        none("/a").to(upstream(limits, burstSeconds)).queueTimeout(queueTimeoutNanos));
  }

  @Test
  void moreThanThePaceLetsGoInTime_isRefusedAtOnce_andTheRestGoes() {
    Endpoint endpoint = open(30, 5, 20 * SECOND);
    List<ParkedTicket> accepted = new ArrayList<>();
    List<Refusal> refused = new ArrayList<>();
    for (int each = 0; each < 40; each++) {
      ParkedTicket ticket =
          endpoint.submit(RequestFixture.of(null, Cost.ofInput(1)).tenant(new Object()).made());
      if (went(ticket) || waits(ticket)) {
        accepted.add(ticket);
      } else {
        refused.add(refusal(ticket));
      }
    }
    // two go at once, and then one every 2 s
    assertThat(accepted).hasSize(12);
    assertThat(refused)
        .hasSize(28)
        .allMatch(each -> each.reason() == RefusalReason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT)
        .allMatch(each -> each.detail().startsWith("the estimated wait is 22.0 s"));
    assertThat(refused.subList(0, 18))
        .as("each is told its own time, behind those refused before it")
        .extracting(Refusal::retryAfterNanos)
        .isEqualTo(LongStream.rangeClosed(1, 18).mapToObj(each -> each * 2 * SECOND).toList());
    assertThat(refused.get(18).retryAfterNanos())
        .as("the window is full then, until the first leave it after 61 s")
        .isEqualTo(41 * SECOND);
    endpointFixture.at(20 * SECOND);
    assertThat(accepted).allMatch(EndpointFixture::went);
  }

  @Test
  void windowSpentAtOnce_isEstimatedByWhenItEnds() {
    Endpoint endpoint = open(30, 60, 30 * SECOND);
    for (int each = 0; each < 30; each++) {
      assertThat(went(submit(endpoint, 1))).isTrue();
    }
    assertThat(refusal(submit(endpoint, 1)).retryAfterNanos()).isEqualTo(31 * SECOND);
    endpointFixture.at(31 * SECOND);
    ParkedTicket again = submit(endpoint, 1);
    assertThat(waits(again)).isTrue();
    endpointFixture.at(61 * SECOND);
    assertThat(went(again)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = QueueOrder.class,
      names = {"LIFO", "RANDOM"})
  void orderThatCannotBeForeseen_refusesNobodyByEstimate(QueueOrder order) {
    QueueBounds bounds = new QueueBounds(1_000, QueueBounds.UNLIMITED, QueueBounds.UNLIMITED);
    Endpoint endpoint =
        endpointFixture.open(
            none("/a").to(upstream(new UpstreamSpec.Limits(1, 0, 0, 0, 0, 0), 60)),
            new Scheduling(order, 0, 64, new FairBy.Key()),
            EndpointSetup.waiting(bounds, 0, SECOND, false, 0));
    for (int each = 0; each < 10; each++) {
      assertThat(waits(submit(endpoint, 1))).isEqualTo(each > 0);
    }
  }

  @Test
  void permitsInUse_areNoReasonToRefuse() {
    UpstreamSpec.Limits limits = new UpstreamSpec.Limits(0, 0, 0, 0, 0, 1);
    Endpoint endpoint = endpointFixture.open(none("/a").to(upstream(limits, 60)).queueTimeout(1));
    assertThat(went(submit(endpoint, 1))).isTrue();
    assertThat(waits(submit(endpoint, 1))).isTrue();
    assertThat(endpoint.expectedWait()).isEqualTo(new WaitForecast(0, true));
  }

  @Test
  void answerThatStillRuns_makesTheEstimateABound() {
    UpstreamSpec.Limits limits = new UpstreamSpec.Limits(0, 100, 0, 0, 0, 0);
    Endpoint endpoint =
        endpointFixture.open(none("/a").to(upstream(limits, 60)).queueTimeout(30 * SECOND));
    endpoint.submit(RequestFixture.request(null, new Cost(10, 90, 0)));
    Refusal refusal = refusal(submit(endpoint, 50));
    assertThat(refusal.detail()).startsWith("the estimated wait is at least 61.0 s");
    assertThat(refusal.retryAfterNanos()).isEqualTo(31 * SECOND);
  }

  @Test
  void requestsOfAnotherEndpointWaitForTheSameUpstream_theEstimateIsABound() {
    UpstreamSpec shared = upstream(new UpstreamSpec.Limits(1, 0, 0, 0, 0, 0), 60);
    endpointFixture.apply(none("/a").to(shared).queueTimeout(30 * SECOND), none("/b").to(shared));
    Endpoint endpoint = endpointFixture.endpoint("/a");
    assertThat(went(submit(endpoint, 1))).isTrue();
    assertThat(refusal(submit(endpoint, 1)).detail()).startsWith("the estimated wait is 61.0 s");
    assertThat(waits(submit(endpointFixture.endpoint("/b"), 1))).isTrue();
    assertThat(refusal(submit(endpoint, 1)).detail())
        .startsWith("the estimated wait is at least 61.0 s");
  }

  @Test
  void queueOfThousands_isStillWithinATenth() {
    QueueBounds bounds = new QueueBounds(10_000, QueueBounds.UNLIMITED, QueueBounds.UNLIMITED);
    Endpoint endpoint =
        endpointFixture.open(
            none("/a").to(upstream(new UpstreamSpec.Limits(1_200, 0, 0, 0, 0, 0), 5)),
            EndpointSetup.fifo(64),
            EndpointSetup.waiting(bounds, 0, 0, true, 0));
    for (int each = 0; each < 3_100; each++) {
      submit(endpoint, 1);
    }
    WaitPatience none = new WaitPatience(1, Long.MAX_VALUE);
    Refusal refusal =
        refusal(endpoint.submit(RequestFixture.of(null, Cost.ofInput(1)).patience(none).made()));
    ParkedTicket ticket = submit(endpoint, 1);
    // 100 at once and then 20 a second
    long truth = 0;
    while (!went(ticket)) {
      truth += SECOND;
      endpointFixture.at(truth);
    }
    assertThat(refusal.detail()).doesNotContain("at least");
    assertThat((double) refusal.retryAfterNanos()).isBetween(0.9 * truth, 1.1 * truth);
  }

  @Test
  void manyCallersAhead_areOneGroupWithoutTheirOwnLimits() {
    FakeCallers callers = new FakeCallers();
    Endpoint endpoint = open(60, 60, 0);
    for (int each = 0; each < 60; each++) {
      submit(endpoint, 1);
    }
    for (int each = 0; each < 20; each++) {
      FakeCallers.Caller caller =
          callers.waiting("k" + each).limit(LimitMeasure.REQUESTS, 100, RefusalReason.KEY_RPM);
      assertThat(waits(caller.submit(endpoint, 1))).isTrue();
    }
    WaitPatience none = new WaitPatience(SECOND, Long.MAX_VALUE);
    assertThat(
            refusal(endpoint.submit(RequestFixture.of(null, Cost.ofInput(1)).patience(none).made()))
                .retryAfterNanos())
        .isEqualTo(60 * SECOND);
  }
}
