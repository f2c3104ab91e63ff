package io.penstock.gateway.admit;

import io.penstock.dispatch.TicketRequest;
import io.penstock.endpoint.EndpointSpec.FairBy;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/** Determines the flow that a request belongs to, for fair queueing. */
final class FairFlows {
  private static final int LONGEST = 256;

  private FairFlows() {}

  /**
   * Returns the flow of a request. Requests that do not name their flow share one. A name longer
   * than 256 characters is replaced by its digest, so that stored names are bounded in length and
   * two names never become one.
   *
   * @param user the user that the body names, or null
   */
  static TicketRequest.Flow of(FairBy by, HttpHeaders headers, @Nullable String user) {
    return switch (by) {
      case FairBy.Key key -> TicketRequest.Flow.ANONYMOUS;
      case FairBy.Header(String name) -> named(headers.getFirst(name));
      case FairBy.BodyUser body -> named(user);
    };
  }

  private static TicketRequest.Flow named(@Nullable String name) {
    if (name == null || name.isBlank()) {
      return TicketRequest.Flow.ANONYMOUS;
    }
    return new TicketRequest.Flow(name.length() > LONGEST ? digest(name) : name, 1);
  }

  private static String digest(String name) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      return "sha256:" + HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }
}
