package io.penstock.trace;

import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.cost.ModelOperation;
import io.penstock.cost.TokenUsage;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.endpoint.Endpoint;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Refusal;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Receives what happens to one request, as it happens, for later inspection. Its methods must not
 * fail or block. Belongs to the event loop of the request.
 */
public interface RequestTrail {
  /** Ignores everything, and costs nothing. */
  RequestTrail NONE = new RequestTrail() {};

  /**
   * The request has reached an endpoint.
   *
   * @param key name of the caller's key
   */
  default void entered(Endpoint endpoint, String requestId, String key) {}

  /** The request has a ticket. Called again if it returns to its place in the queue. */
  default void submitted(ParkedTicket ticket) {}

  /** The ticket was released. */
  default void released(TicketSettlement settlement) {}

  /** The request will not be served, whether or not it waited. */
  default void refused(Refusal refusal) {}

  /**
   * An upstream is about to be called; once for each attempt.
   *
   * @param base the upstream's address
   * @param model the requested model, under the name that clients use, or null
   * @param modelOperation the operation asked of the model; null if the request is not read
   */
  default void callStarts(
      UpstreamSpec upstream,
      URI base,
      @Nullable String model,
      @Nullable ModelOperation modelOperation) {}

  /** Sets the headers with the trace context of the call, in place of those of the client. */
  default void setTraceHeaders(HttpHeaders headers) {}

  /** The upstream answers with a status. */
  default void statusReceived(int status) {}

  /** The answer names the model that gave it. Called before the call ends. */
  default void modelNamed(String model) {}

  /**
   * The call has ended.
   *
   * @param tokenUsage the usage stated by the answer, or null
   * @param error a status or a reason, or null if it succeeded
   */
  default void callEnded(@Nullable TokenUsage tokenUsage, @Nullable String error) {}

  /** More bytes of the answer were forwarded. */
  default void bytesForwarded(int bytes) {}

  /**
   * The request has ended.
   *
   * @param status status of the answer; 0 if there was none
   * @param reason why it was refused, even if it never reached an endpoint, or null
   */
  default void ended(int status, @Nullable String reason) {}

  /** Returns the id of the request's trace, or null if unknown. */
  default @Nullable String traceId() {
    return null;
  }
}
