package io.penstock.operator;

import io.penstock.endpoint.Endpoint;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.pool.UpstreamSpec;
import io.penstock.pool.UpstreamTrouble;
import io.penstock.time.Ticker;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Whether an endpoint can let requests go, and why not.
 *
 * @param what the state in one word
 * @param detail what keeps requests from going, for people; null while it is open
 * @param untilNanos the instant at which that ends, or is tried, if nothing else happens; {@link
 *     Ticker#NEVER} when only an action ends it
 */
record EndpointState(What what, @Nullable String detail, long untilNanos) {
  /** A state, by what an operator has to think of. */
  enum What {
    /** Requests go as their limits allow. */
    OPEN,
    /** An operator, or the provider, stopped the requests for now. */
    PAUSED,
    /** No upstream works. */
    FAILING,
    /** It takes no new requests. */
    CLOSED
  }

  /** Words of a trouble that its place in a state makes superfluous: subject and address. */
  private static final Pattern SAID_ALREADY =
      Pattern.compile("^the upstream | \\(https?://[^)]*\\)$");

  private static final EndpointState IS_OPEN = new EndpointState(What.OPEN, null, Ticker.NEVER);

  /** Returns the present state of an endpoint. */
  static EndpointState of(Endpoint endpoint, UpstreamRegistry upstreams, long now) {
    if (endpoint.refusesAll()) {
      return new EndpointState(What.CLOSED, "it takes no new requests", Ticker.NEVER);
    }
    if (endpoint.paused()) {
      return new EndpointState(What.PAUSED, "paused by an operator", Ticker.NEVER);
    }
    EndpointState soonest = null;
    for (UpstreamSpec spec : endpoint.spec().upstreams()) {
      Upstream upstream = upstreams.find(spec.id());
      EndpointState each = upstream == null ? IS_OPEN : of(upstream, now);
      if (each.what == What.OPEN) {
        return IS_OPEN;
      }
      soonest = soonest == null || each.untilNanos < soonest.untilNanos ? each : soonest;
    }
    return soonest == null ? IS_OPEN : soonest;
  }

  private static EndpointState of(Upstream upstream, long now) {
    String name = "upstream " + upstream.spec().id() + ": ";
    String disabled = upstream.spec().access().disabledBecause();
    if (disabled != null) {
      return new EndpointState(What.FAILING, name + "disabled, " + disabled, Ticker.NEVER);
    }
    if (upstream.paused()) {
      return new EndpointState(What.PAUSED, name + "paused by an operator", Ticker.NEVER);
    }
    if (upstream.health().onTrial()) {
      UpstreamTrouble trouble = upstream.trouble();
      String why =
          trouble == null ? "it failed" : SAID_ALREADY.matcher(trouble.what()).replaceAll("");
      return new EndpointState(What.FAILING, name + why, upstream.triedAt(now));
    }
    long paused = upstream.accountPause().ends(now);
    return paused > now
        ? new EndpointState(What.PAUSED, name + "paused by its provider", paused)
        : IS_OPEN;
  }

  /** Returns its JSON form. */
  ObjectNode json(ClockReading now) {
    return OperatorJson.object()
        .put("what", what.name().toLowerCase(Locale.ROOT))
        .put("detail", detail)
        .put("until", untilNanos == Ticker.NEVER ? null : now.text(untilNanos));
  }
}
