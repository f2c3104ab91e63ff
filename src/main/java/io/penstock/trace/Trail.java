package io.penstock.trace;

import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.cost.Operation;
import io.penstock.cost.Usage;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.Pending;
import io.penstock.endpoint.Settlement;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Refusal;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Is told what becomes of one request, as it happens, for whoever wants to know afterwards. Nothing
 * that it does may fail or wait. Belongs to the event loop of the request.
 */
public interface Trail {
  /** Nobody wants to know: nothing is kept, and nothing is made for it. */
  Trail NONE = new Trail() {};

  /**
   * It came to an endpoint.
   *
   * @param key the name of who asks
   */
  default void entered(Endpoint endpoint, String requestId, String key) {}

  /** It has a ticket; again when it comes back to its place. */
  default void submitted(Pending ticket) {}

  /** Its ticket was let go. */
  default void released(Settlement settlement) {}

  /** It will not be served; whether it waited or not. */
  default void refused(Refusal refusal) {}

  /**
   * An upstream is about to be called; once for each attempt.
   *
   * @param base where it is
   * @param model the model it is asked for, under the name clients have for it, or null
   * @param operation what the model is asked for; null of what is not weighed
   */
  default void calls(
      UpstreamSpec upstream, URI base, @Nullable String model, @Nullable Operation operation) {}

  /** Tells an upstream to what the call belongs, in place of what its client said. */
  default void tells(HttpHeaders headers) {}

  /** The upstream answers with a status. */
  default void answers(int status) {}

  /** The answer called the model that gave it so; told before the call is over. */
  default void answered(String model) {}

  /**
   * The call is over.
   *
   * @param usage what the answer says that was used, or null
   * @param error a status or a reason, or null when all is well
   */
  default void called(@Nullable Usage usage, @Nullable String error) {}

  /** So many bytes of the answer passed. */
  default void passed(int bytes) {}

  /**
   * It is over.
   *
   * @param status the answer's; 0 when there was none
   * @param reason why it was refused, also where it never came to an endpoint, or null
   */
  default void ended(int status, @Nullable String reason) {}

  /** Returns the id of the trace it is part of, or null when that is not known. */
  default @Nullable String traceId() {
    return null;
  }
}
