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
   * @param user whom it says it is for, at most 4,096 characters; null when unsaid or longer
   */
  record Request(@Nullable String model, Cost cost, boolean stream, @Nullable String user)
      implements Weighed {
    /** A request that does not say whom it is for. */
    public Request(@Nullable String model, Cost cost, boolean stream) {
      this(model, cost, stream, null);
    }
  }

  /**
   * A body that is not what the dialect says.
   *
   * @param detail what is wrong and where, without content of the body
   */
  record Malformed(String detail) implements Weighed {}
}
