package io.penstock.endpoint;

import static io.penstock.endpoint.World.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.Cost;
import io.penstock.limit.LimitSpec;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EndpointFaultTest {
  private static final LimitSpec ONE = new LimitSpec.FixedWindow(1, SECOND);
  private static final LimitSpec TEN = new LimitSpec.FixedWindow(10, 2 * SECOND);

  private final World world = new World();

  private Endpoint endpoint(LimitSpec limit) {
    world.registry.apply(List.of(World.endpoint("/a", Algorithm.TOKEN_WINDOW, limit, 64)));
    return Objects.requireNonNull(world.registry.find("/a"));
  }

  private static Pending submit(Endpoint endpoint, long tokens) {
    return endpoint.submit(null, Cost.ofInput(tokens), 0, Patience.DEFAULT);
  }

  @Test
  void oneReceiverThrows_othersAreToldAndWorkGoesOn() {
    Endpoint endpoint = endpoint(TEN);
    submit(endpoint, 10);
    AtomicInteger told = new AtomicInteger();
    submit(endpoint, 5)
        .whenDecided(
            outcome -> {
              throw new IllegalStateException("on purpose");
            });
    submit(endpoint, 5).whenDecided(outcome -> told.incrementAndGet());
    Pending last = submit(endpoint, 5);

    assertThatThrownBy(() -> world.until(2 * SECOND)).hasMessage("on purpose");

    assertThat(told).hasValue(1);
    world.until(4 * SECOND);
    assertThat(last.outcome()).isInstanceOf(Outcome.Granted.class);
  }

  @Test
  void reloadedRemovedAndMadeAgainBeforeItWorks_newOneKeepsItsOwnLimit() {
    endpoint(ONE);
    endpoint(TEN);
    world.registry.apply(List.of());
    Endpoint again = endpoint(ONE);

    world.run();

    submit(again, 1);
    assertThat(submit(again, 1).outcome()).isNull();
  }
}
