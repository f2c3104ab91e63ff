package io.penstock.provider;

import io.penstock.cost.Cost;
import org.jspecify.annotations.Nullable;

/** What reading a request body came to. */
public sealed interface Weighed {
  /**
   * A request that can be passed on.
   *
   * @param model the model's name as the client wrote it; null where the dialect reads none
   * @param cost what the request is expected to use
   * @param stream whether it asks for an event stream
   */
  record Request(@Nullable String model, Cost cost, boolean stream) implements Weighed {}

  /**
   * A body that is not what the dialect says.
   *
   * @param detail what is wrong and where, without content of the body
   */
  record Malformed(String detail) implements Weighed {}
}
