package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointWorld;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.Ticket.State;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Regression tests of overtaking, reduced from runs of the simulator. */
class FairnessTest {
  private final EndpointWorld world = new EndpointWorld();

  private Endpoint find(String path) {
    return Objects.requireNonNull(world.registry.find(path));
  }

  private static ParkedTicket submit(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(RequestFixture.request(model, Cost.ofInput(tokens)));
  }

  @Test
  void pausedEndpointThatWaits_othersOfItsUpstream_goOnForEver() {
    UpstreamSpec shared = EndpointWorld.upstream("u", 1_000, 60);
    world.registry.apply(
        List.of(EndpointWorld.endpoint("/a", 2, shared), EndpointWorld.endpoint("/b", 2, shared)));
    submit(find("/b"), "m", 500);
    ParkedTicket large = submit(find("/a"), "m", 800);
    find("/a").pause(true);
    world.run();

    for (int each = 0; each < 50; each++) {
      submit(find("/b"), "m", 10);
    }

    assertThat(find("/b").totals().requests(TicketFate.RUNNING)).isEqualTo(51);
    assertThat(large.state()).isEqualTo(State.PARKED);
    find("/a").pause(false);
    world.until(61 * SECOND);
    assertThat(large.state()).isEqualTo(State.GRANTED);
  }

  @Test
  void pausedEndpointThatHasClaimed_givesItsClaimUp() {
    UpstreamSpec shared = EndpointWorld.upstream("u", 1_000, 60);
    world.registry.apply(
        List.of(EndpointWorld.endpoint("/a", 0, shared), EndpointWorld.endpoint("/b", 0, shared)));
    submit(find("/b"), "m", 500);
    submit(find("/a"), "m", 800);
    ParkedTicket behind = submit(find("/b"), "m", 10);
    assertThat(behind.state()).isEqualTo(State.PARKED);

    find("/a").pause(true);
    world.run();

    assertThat(behind.state()).isEqualTo(State.GRANTED);
  }

  @Test
  void noPatienceAtAll_roomIsThere_itGoesAtOnce() {
    world.registry.apply(List.of(EndpointWorld.endpoint("/a", 64)));
    ParkedTicket parkedTicket =
        find("/a")
            .submit(
                RequestFixture.of("m", Cost.ofInput(1))
                    .patience(new WaitPatience(WaitPatience.UNSTATED, 0))
                    .made());
    assertThat(parkedTicket.state()).isEqualTo(State.GRANTED);
  }

  @Test
  void noPatienceAtAll_noRoom_itExpiresAtOnce() {
    world.registry.apply(
        List.of(EndpointWorld.endpoint("/a", 64, EndpointWorld.upstream("u", 10, 60))));
    submit(find("/a"), "m", 10);
    ParkedTicket parkedTicket =
        find("/a")
            .submit(
                RequestFixture.of("m", Cost.ofInput(1))
                    .patience(new WaitPatience(WaitPatience.UNSTATED, 0))
                    .made());
    assertThat(parkedTicket.state()).isEqualTo(State.EXPIRED);
  }

  @Test
  void sameDeadline_firstHadClaimed_secondGoesWhenTheFirstExpires() {
    world.registry.apply(
        List.of(EndpointWorld.endpoint("/a", 0, EndpointWorld.upstream("u", 100, 60))));
    submit(find("/a"), "m", 50);
    WaitPatience second = new WaitPatience(0, SECOND); // without an estimate
    ParkedTicket large =
        find("/a").submit(RequestFixture.of("m", Cost.ofInput(100)).patience(second).made());
    ParkedTicket small =
        find("/a").submit(RequestFixture.of("m", Cost.ofInput(10)).patience(second).made());

    world.until(SECOND);

    assertThat(large.state()).isEqualTo(State.EXPIRED);
    assertThat(small.state()).isEqualTo(State.GRANTED);
  }

  @Test
  void laneInTwoLinesAtOnce_isSkippedOnceByEachThatPasses() {
    // Both models share one pool and the endpoint's own limit.
    UpstreamSpec pool = renamed(EndpointWorld.upstream("u", 1_000, 60));
    LimitSpec window = new LimitSpec.FixedWindow(10_000, 10 * SECOND);
    world.registry.apply(List.of(EndpointWorld.endpoint("/a", window, 2, pool)));
    submit(find("/a"), "m", 500);
    ParkedTicket earlier = submit(find("/a"), "m", 800);

    assertThat(submit(find("/a"), "n", 100).state()).isEqualTo(State.GRANTED);
    assertThat(submit(find("/a"), "n", 100).state()).isEqualTo(State.GRANTED);
    assertThat(submit(find("/a"), "n", 100).state()).isEqualTo(State.PARKED);
    world.until(61 * SECOND);
    assertThat(earlier.state()).isEqualTo(State.GRANTED);
  }

  @Test
  void paceHoldsALaterTicket_claimsNothingBeforeTheEarlierOneWent() {
    world.registry.apply(
        List.of(EndpointWorld.endpoint("/a", 64, renamed(EndpointWorld.upstream("u", 600, 1)))));
    Endpoint endpoint = find("/a");
    submit(endpoint, "m", 5);
    endpoint.pause(true);
    world.run();
    ParkedTicket earlier = submit(endpoint, "n", 1);
    ParkedTicket later = submit(endpoint, "m", 10);
    ParkedTicket last = submit(endpoint, "n", 1);

    endpoint.pause(false);
    world.run();

    assertThat(earlier.state()).isEqualTo(State.GRANTED);
    assertThat(later.state()).isEqualTo(State.PARKED);
    assertThat(last.state()).as("behind one that waits for the pace alone").isEqualTo(State.PARKED);
    world.until(SECOND);
    assertThat(later.state()).isEqualTo(State.GRANTED);
  }

  @Test
  void itsUpstreamIsKeptAndFree_lacksOnlyItsEndpoint_isNotPassedForEver() {
    LimitSpec window = new LimitSpec.FixedWindow(100, 10 * SECOND);
    UpstreamSpec narrow = EndpointWorld.upstream("u", 100, 60);
    UpstreamSpec wide = EndpointWorld.upstream("w", 1_000_000, 60);
    world.registry.apply(
        List.of(
            EndpointWorld.endpoint(
                "/a",
                window,
                0,
                serving(narrow, Map.of("m", "m")),
                serving(wide, Map.of("n", "n"))),
            EndpointWorld.endpoint("/b", 0, serving(narrow, Map.of("m", "m")))));
    submit(find("/b"), "m", 50);
    ParkedTicket large = submit(find("/a"), "m", 100);
    assertThat(submit(find("/b"), "m", 1).state()).as("upstream kept").isEqualTo(State.PARKED);
    // Its answer never ends, so that the endpoint is never empty.
    find("/a").submit(RequestFixture.request("n", new Cost(0, 10, 10)));
    world.until(62 * SECOND);
    assertThat(large.state()).isEqualTo(State.PARKED);

    assertThat(submit(find("/a"), "n", 10).state()).isEqualTo(State.PARKED);
  }

  @Test
  void clientGoneButNotYetRemoved_pacedOut_stepComesToRest() {
    UpstreamSpec pool = EndpointWorld.upstream("u", 600, 1);
    world.registry.apply(List.of(EndpointWorld.endpoint("/a", 64, pool)));
    Endpoint endpoint = find("/a");
    submit(endpoint, "m", 10);
    ParkedTicket other = submit(endpoint, "m", 1);
    ParkedTicket released = submit(endpoint, "m", 2);
    other.cancel(); // from here on the driver runs the steps, in order
    ParkedTicket next = submit(endpoint, "m", 3);
    released.cancel();

    world.run();

    assertThat(endpoint.totals().requests(TicketFate.WAITING)).isEqualTo(1);
    world.until(SECOND);
    assertThat(next.state()).isEqualTo(State.GRANTED);
  }

  private static UpstreamSpec renamed(UpstreamSpec spec) {
    return serving(spec, Map.of("m", "same", "n", "same"));
  }

  private static UpstreamSpec serving(UpstreamSpec spec, Map<String, String> models) {
    return UpstreamSetup.like(spec).models(models).spec();
  }
}
