package io.penstock.endpoint;

import static io.penstock.endpoint.World.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.Ticket.State;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Regression tests of overtaking, reduced from runs of the simulator. */
class FairnessTest {
  private final World world = new World();

  private Endpoint find(String path) {
    return Objects.requireNonNull(world.registry.find(path));
  }

  private static Pending submit(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(Ask.of(model, Cost.ofInput(tokens), 0, Patience.DEFAULT));
  }

  @Test
  void pausedEndpointThatWaits_othersOfItsUpstream_goOnForEver() {
    UpstreamSpec shared = World.upstream("u", 1_000, 60);
    world.registry.apply(List.of(World.endpoint("/a", 2, shared), World.endpoint("/b", 2, shared)));
    submit(find("/b"), "m", 500);
    Pending large = submit(find("/a"), "m", 800);
    find("/a").pause(true);
    world.run();

    for (int each = 0; each < 50; each++) {
      submit(find("/b"), "m", 10);
    }

    assertThat(find("/b").totals().requests(Fate.RUNNING)).isEqualTo(51);
    assertThat(large.state()).isEqualTo(State.PARKED);
    find("/a").pause(false);
    world.until(61 * SECOND);
    assertThat(large.state()).isEqualTo(State.GRANTED);
  }

  @Test
  void pausedEndpointThatHasClaimed_givesItsClaimUp() {
    UpstreamSpec shared = World.upstream("u", 1_000, 60);
    world.registry.apply(List.of(World.endpoint("/a", 0, shared), World.endpoint("/b", 0, shared)));
    submit(find("/b"), "m", 500);
    submit(find("/a"), "m", 800);
    Pending behind = submit(find("/b"), "m", 10);
    assertThat(behind.state()).isEqualTo(State.PARKED);

    find("/a").pause(true);
    world.run();

    assertThat(behind.state()).isEqualTo(State.GRANTED);
  }

  @Test
  void noPatienceAtAll_roomIsThere_itGoesAtOnce() {
    world.registry.apply(List.of(World.endpoint("/a", 64)));
    Pending pending =
        find("/a").submit(Ask.of("m", Cost.ofInput(1), 0, new Patience(Patience.UNSAID, 0)));
    assertThat(pending.state()).isEqualTo(State.GRANTED);
  }

  @Test
  void noPatienceAtAll_noRoom_itExpiresAtOnce() {
    world.registry.apply(List.of(World.endpoint("/a", 64, World.upstream("u", 10, 60))));
    submit(find("/a"), "m", 10);
    Pending pending =
        find("/a").submit(Ask.of("m", Cost.ofInput(1), 0, new Patience(Patience.UNSAID, 0)));
    assertThat(pending.state()).isEqualTo(State.EXPIRED);
  }

  @Test
  void sameDeadline_firstHadClaimed_secondGoesWhenTheFirstExpires() {
    world.registry.apply(List.of(World.endpoint("/a", 0, World.upstream("u", 100, 60))));
    submit(find("/a"), "m", 50);
    Patience second = new Patience(Patience.UNSAID, SECOND);
    Pending large = find("/a").submit(Ask.of("m", Cost.ofInput(100), 0, second));
    Pending small = find("/a").submit(Ask.of("m", Cost.ofInput(10), 0, second));

    world.until(SECOND);

    assertThat(large.state()).isEqualTo(State.EXPIRED);
    assertThat(small.state()).isEqualTo(State.GRANTED);
  }

  @Test
  void laneInTwoLinesAtOnce_isSkippedOnceByEachThatPasses() {
    // Both models share one pool and the endpoint's own limit.
    UpstreamSpec pool = renamed(World.upstream("u", 1_000, 60));
    LimitSpec window = new LimitSpec.FixedWindow(10_000, 10 * SECOND);
    world.registry.apply(List.of(World.endpoint("/a", Algorithm.TOKEN_WINDOW, window, 2, pool)));
    submit(find("/a"), "m", 500);
    Pending earlier = submit(find("/a"), "m", 800);

    assertThat(submit(find("/a"), "n", 100).state()).isEqualTo(State.GRANTED);
    assertThat(submit(find("/a"), "n", 100).state()).isEqualTo(State.GRANTED);
    assertThat(submit(find("/a"), "n", 100).state()).isEqualTo(State.PARKED);
    world.until(61 * SECOND);
    assertThat(earlier.state()).isEqualTo(State.GRANTED);
  }

  @Test
  void paceHoldsALaterTicket_claimsNothingBeforeTheEarlierOneWent() {
    world.registry.apply(List.of(World.endpoint("/a", 64, renamed(World.upstream("u", 600, 1)))));
    Endpoint endpoint = find("/a");
    submit(endpoint, "m", 5);
    endpoint.pause(true);
    world.run();
    Pending earlier = submit(endpoint, "n", 1);
    Pending later = submit(endpoint, "m", 10);
    Pending last = submit(endpoint, "n", 1);

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
    UpstreamSpec narrow = World.upstream("u", 100, 60);
    UpstreamSpec wide = World.upstream("w", 1_000_000, 60);
    world.registry.apply(
        List.of(
            World.endpoint(
                "/a",
                Algorithm.TOKEN_WINDOW,
                window,
                0,
                serving(narrow, Map.of("m", "m")),
                serving(wide, Map.of("n", "n"))),
            World.endpoint("/b", 0, serving(narrow, Map.of("m", "m")))));
    submit(find("/b"), "m", 50);
    Pending large = submit(find("/a"), "m", 100);
    assertThat(submit(find("/b"), "m", 1).state()).as("upstream kept").isEqualTo(State.PARKED);
    // Its answer never ends, so that the endpoint is never empty.
    find("/a").submit(Ask.of("n", new Cost(0, 10, 10), 0, Patience.DEFAULT));
    world.until(62 * SECOND);
    assertThat(large.state()).isEqualTo(State.PARKED);

    assertThat(submit(find("/a"), "n", 10).state()).isEqualTo(State.PARKED);
  }

  @Test
  void clientGoneButNotYetRemoved_pacedOut_stepComesToRest() {
    UpstreamSpec pool = World.upstream("u", 600, 1);
    world.registry.apply(List.of(World.endpoint("/a", 64, pool)));
    Endpoint endpoint = find("/a");
    submit(endpoint, "m", 10);
    Pending other = submit(endpoint, "m", 1);
    Pending gone = submit(endpoint, "m", 2);
    endpoint.cancel(other); // from here on the driver runs the steps, in order
    Pending next = submit(endpoint, "m", 3);
    endpoint.cancel(gone);

    world.run();

    assertThat(endpoint.totals().requests(Fate.WAITING)).isEqualTo(1);
    world.until(SECOND);
    assertThat(next.state()).isEqualTo(State.GRANTED);
  }

  private static UpstreamSpec renamed(UpstreamSpec spec) {
    return serving(spec, Map.of("m", "same", "n", "same"));
  }

  private static UpstreamSpec serving(UpstreamSpec spec, Map<String, String> models) {
    return new UpstreamSpec(
        spec.id(),
        spec.url(),
        spec.access(),
        models,
        spec.weight(),
        spec.budget(),
        spec.link(),
        spec.injectsUsage());
  }
}
