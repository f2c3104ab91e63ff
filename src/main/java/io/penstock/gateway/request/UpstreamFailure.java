package io.penstock.gateway.request;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.timeout.TimeoutException;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.wire.AnswerGuard;
import io.penstock.wire.ConnectionUse;
import io.penstock.wire.RefusedUpgrade;
import io.penstock.wire.UpstreamConnections;
import java.io.IOException;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * The reason why an upstream gave no answer.
 *
 * @param refusal what the client is told
 * @param sent whether the upstream may have seen the request
 * @param cause what operators are told; without secrets
 */
public record UpstreamFailure(Refusal refusal, boolean sent, String cause) {
  /** The lowest status of an answer that is an error. */
  public static final int LOWEST_ERROR_STATUS = 400;

  private static final String CLOSED_IDLE = "the upstream had closed the connection";

  /** Returns what an error means, or null when it is not a failure of the upstream. */
  public static @Nullable UpstreamFailure of(Throwable error) {
    ConnectionFault fault = ConnectionFault.of(error);
    if (fault != null) {
      return unsent(fault, error);
    }
    return switch (error) {
      case TimeoutException slow ->
          sent(RefusalReason.UPSTREAM_TIMEOUT, "the upstream did not answer in time");
      case AnswerGuard.NotHttp unreadable ->
          sent(RefusalReason.UPSTREAM_UNREACHABLE, "the upstream did not answer in HTTP");
      case TooLongHttpHeaderException large ->
          sent(
              RefusalReason.UPSTREAM_UNREACHABLE,
              "the upstream's answer has more than "
                  + UpstreamConnections.HEAD_BYTES / 1_024
                  + " KiB of headers");
      case RefusedUpgrade.NotUpgraded plain ->
          sent(RefusalReason.UPSTREAM_UNREACHABLE, "the upstream did not become a WebSocket");
      case ConnectionUse.ClosedWhileIdle closed ->
          new UpstreamFailure(
              Refusal.of(RefusalReason.UPSTREAM_UNREACHABLE, CLOSED_IDLE), false, CLOSED_IDLE);
      case IOException reset when isReset(reset) ->
          sent(RefusalReason.UPSTREAM_UNREACHABLE, "the upstream reset the connection");
      case IOException broken ->
          sent(RefusalReason.UPSTREAM_UNREACHABLE, "the upstream closed without an answer");
      default -> null;
    };
  }

  /** Returns whether the upstream may have seen the request and sent nothing in time. */
  public boolean timedOut() {
    return sent && refusal.reason() == RefusalReason.UPSTREAM_TIMEOUT;
  }

  /** Returns what operators are told: the cause, and the scheme, host and port of the upstream. */
  public String of(UpstreamSpec upstream) {
    URI url = upstream.url(); // its path, query or user may be secret
    String host = url.getHost() == null ? "" : url.getHost();
    String port = url.getPort() < 0 ? "" : ":" + url.getPort();
    return cause + " (" + url.getScheme() + "://" + host + port + ")";
  }

  private static boolean isReset(IOException error) {
    return String.valueOf(error.getMessage()).contains("reset by peer")
        || "Connection reset".equals(error.getMessage());
  }

  /** Returns the refusal of a request if the answer had already begun. */
  static Refusal midway() {
    return Refusal.of(RefusalReason.UPSTREAM_UNREACHABLE, "the upstream closed within its answer");
  }

  private static UpstreamFailure unsent(ConnectionFault fault, Throwable error) {
    RefusalReason reason =
        fault == ConnectionFault.TIMEOUT
            ? RefusalReason.UPSTREAM_TIMEOUT
            : RefusalReason.UPSTREAM_UNREACHABLE;
    String message = error.getMessage();
    boolean explains = fault == ConnectionFault.OTHER_TLS || fault == ConnectionFault.OTHER_NAME;
    String cause =
        explains && message != null
            ? fault.text() + ": " + PrintableText.of(message)
            : fault.text();
    return new UpstreamFailure(Refusal.of(reason, fault.text()), false, cause);
  }

  private static UpstreamFailure sent(RefusalReason refusalReason, String detail) {
    return new UpstreamFailure(Refusal.of(refusalReason, detail), true, detail);
  }
}
