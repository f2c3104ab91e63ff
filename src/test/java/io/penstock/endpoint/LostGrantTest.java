package io.penstock.endpoint;

import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.quota.Onlooker;
import io.penstock.quota.Quota;
import io.penstock.refusal.Reason;
import java.util.ArrayList;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Grants that come to nothing after the permit of a key was taken, and give it back. A request of
 * the same key that came to another endpoint meanwhile found it taken, and nothing else wakes it.
 */
class LostGrantTest {
  private final House house = new House();
  private final Callers.Caller alice =
      new Callers().waiting("alice").limit(Measure.CONCURRENCY, 1, Reason.KEY_CONCURRENCY);

  private @Nullable Pending beside;

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  /**
   * Acts once, as other threads may, between two takes of one grant: whoever stands in the line of
   * a key is asked then whether anything is kept for it.
   */
  private static final class Meanwhile extends Onlooker {
    private final Runnable action;
    private boolean acted;

    Meanwhile(Runnable action) {
      this.action = action;
    }

    @Override
    public boolean keeps() {
      if (!acted) {
        acted = true;
        action.run();
      }
      return false;
    }

    @Override
    public void wake() {}
  }

  private void meanwhile(Runnable action) {
    alice.quota.line().join(new Meanwhile(action));
  }

  /** A request of the key comes to the other endpoint, and has to wait. */
  private void comesBeside() {
    Pending pending = alice.submit(house.endpoint("/b"), 1);
    assertThat(waits(pending)).isTrue();
    beside = pending;
  }

  @Test
  void anotherTookTheLastOfTheUpstream_whoFoundTheKeyTakenGoes() {
    house.apply(none("/a").to(upstream("u", 1, 0)), none("/b"));
    Quota ofUpstream =
        Objects.requireNonNull(house.upstreams.find("u")).pool(null, house.ticker.nanos());
    meanwhile(
        () -> {
          assertThat(ofUpstream.take(Cost.NO_TOKENS, house.ticker.nanos(), new ArrayList<>()))
              .isTrue();
          comesBeside();
        });

    Pending slower = alice.submit(house.endpoint("/a"), 1);
    house.drivers.run();

    assertThat(waits(slower)).isTrue();
    assertThat(went(Objects.requireNonNull(beside))).isTrue();
  }

  @Test
  void clientWentAway_whoFoundTheKeyTakenGoes() {
    house.apply(none("/a").to(upstream("u", 0, 0)), none("/b"));
    Pending runs = alice.submit(house.endpoint("/b"), 1);
    Pending leaves = alice.submit(house.endpoint("/a"), 1);
    assertThat(waits(leaves)).isTrue();
    meanwhile(
        () -> {
          house.endpoint("/a").cancel(leaves);
          comesBeside();
        });

    settlement(runs).permitted(house.ticker.nanos());
    house.drivers.run();

    assertThat(leaves.outcome()).isNull();
    assertThat(went(Objects.requireNonNull(beside))).isTrue();
  }
}
