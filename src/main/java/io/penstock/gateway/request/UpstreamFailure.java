package io.penstock.gateway.request;

import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.timeout.TimeoutException;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.wire.AnswerGuard;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The reason why an upstream gave no answer.
 *
 * @param refusal what the client is told
 * @param sent whether the upstream may have seen the request
 */
public record UpstreamFailure(Refusal refusal, boolean sent) {
  /** The lowest status of an answer that is an error. */
  public static final int LOWEST_ERROR_STATUS = 400;

  /** Returns what an error means, or null when it is not a failure of the upstream. */
  public static @Nullable UpstreamFailure of(Throwable error) {
    return switch (error) {
      case ConnectTimeoutException slow ->
          unsent(RefusalReason.UPSTREAM_TIMEOUT, "the upstream could not be connected to in time");
      case ConnectException refused ->
          unsent(RefusalReason.UPSTREAM_UNREACHABLE, "the upstream refused the connection");
      case UnknownHostException unknown ->
          unsent(RefusalReason.UPSTREAM_UNREACHABLE, "the upstream's host is unknown");
      case SSLException untrusted ->
          unsent(RefusalReason.UPSTREAM_UNREACHABLE, "no secure connection to the upstream");
      case TimeoutException slow ->
          sent(RefusalReason.UPSTREAM_TIMEOUT, "the upstream did not answer in time");
      case AnswerGuard.NotHttp unreadable ->
          sent(RefusalReason.UPSTREAM_UNREACHABLE, "the upstream did not answer in HTTP");
      case IOException broken ->
          sent(RefusalReason.UPSTREAM_UNREACHABLE, "the upstream closed without an answer");
      default -> null;
    };
  }

  /** Returns the refusal of a request if the answer had already begun. */
  static Refusal midway() {
    return Refusal.of(RefusalReason.UPSTREAM_UNREACHABLE, "the upstream closed within its answer");
  }

  private static UpstreamFailure unsent(RefusalReason refusalReason, String detail) {
    return new UpstreamFailure(Refusal.of(refusalReason, detail), false);
  }

  private static UpstreamFailure sent(RefusalReason refusalReason, String detail) {
    return new UpstreamFailure(Refusal.of(refusalReason, detail), true);
  }
}
