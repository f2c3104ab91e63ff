package io.penstock.refusal;

import java.util.Locale;

/** Reason of a refusal, with the HTTP status of the answer. */
public enum RefusalReason {
  /** The body does not match the dialect, or a parameter cannot be read. */
  BAD_REQUEST(400, false),
  /** The request has no key, or its key is unknown or invalid. */
  UNAUTHENTICATED(401, true),
  /** The key may not use the model. */
  FORBIDDEN_MODEL(403, false),
  /** The key may not use the endpoint. */
  FORBIDDEN_ENDPOINT(403, false),
  /** The key or the endpoint does not let the call through. */
  FORBIDDEN_CALL(403, false),
  /** A web page sent the request, and its origin is not allowed. */
  FOREIGN_ORIGIN(403, false),
  /** No endpoint is configured for the path. */
  NO_ENDPOINT(404, true),
  /** No upstream of the endpoint serves the model. */
  NO_UPSTREAM_FOR_MODEL(404, false),
  /** The call is made by another method. */
  METHOD_NOT_ALLOWED(405, false),
  /** The body came too slowly, or was not complete in time. */
  BODY_TIMEOUT(408, false),
  /** The body is larger than the endpoint takes. */
  BODY_TOO_LARGE(413, false),
  /** The body has an encoding that the gateway cannot read. */
  UNSUPPORTED_ENCODING(415, false),
  /** The request is for a host that is not one of the gateway's. */
  FOREIGN_HOST(421, false),
  /** The endpoint does not allow a connection to switch to another protocol. */
  UPGRADE_REFUSED(426, false),
  /** A bound of the queue is reached. */
  QUEUE_FULL(429, false),
  /** The wait would be longer than the request may wait. */
  ESTIMATED_WAIT_EXCEEDS_TIMEOUT(429, false),
  /** The input alone is more than a limit could ever admit. */
  COST_EXCEEDS_CAPACITY(429, true),
  /** The request waited until its deadline. */
  QUEUE_TIMEOUT(429, false),
  /** The key has used up its requests of the minute. */
  KEY_RPM(429, false, true),
  /**
   * The key, or an endpoint without keys, has used up its calls of the minute that cost nothing.
   */
  KEY_LIGHT_RPM(429, false, true),
  /** The key has used up its tokens of the minute. */
  KEY_TPM(429, false, true),
  /** The key has used up its requests of the day. */
  KEY_RPD(429, true, true),
  /** The key has reached its number of requests at the same time. */
  KEY_CONCURRENCY(429, false),
  /** There are as many open WebSockets as there may be, of all clients or of this one. */
  TOO_MANY_WEBSOCKETS(429, false),
  /** The key has used up its tokens of the day. */
  KEY_BUDGET(429, true, true),
  /** The key's group has used up its requests of the minute. */
  GROUP_RPM(429, false, true),
  /** The key's group has used up its tokens of the minute. */
  GROUP_TPM(429, false, true),
  /** The key's group has used up its requests of the day. */
  GROUP_RPD(429, true, true),
  /** The key's group has used up its tokens of the day or of the month. */
  GROUP_BUDGET(429, true, true),
  /** The model has used up its requests of the day. */
  MODEL_RPD(429, true, true),
  /** Every upstream that serves the request has used up its requests of the day. */
  UPSTREAM_RPD(429, true, true),
  /** Every upstream that serves the request has stated when it takes requests again. */
  UPSTREAM_PAUSED(429, true, true),
  /** The upstream could not be reached, or closed without an answer. */
  UPSTREAM_UNREACHABLE(502, false),
  /** The upstream did not answer in time. */
  UPSTREAM_TIMEOUT(504, false),
  /** The provider refuses the account with which the gateway asks it. */
  UPSTREAM_ACCOUNT(502, false),
  /** The gateway is stopping. */
  SHUTTING_DOWN(503, false),
  /** Every upstream that could serve the request is disabled or unhealthy. */
  NO_HEALTHY_UPSTREAM(503, false),
  /** A limit is shared with other instances, and the contact with them is lost. */
  LIMIT_UNAVAILABLE(503, false),
  /** The endpoint was removed while the request waited. */
  ENDPOINT_REMOVED(503, false),
  /** An operator removed the request. */
  REMOVED_BY_OPERATOR(503, false);

  private final int status;
  private final boolean retryUseless;
  private final boolean comesBack;
  private final String code;

  RefusalReason(int status, boolean retryUseless) {
    this(status, retryUseless, false);
  }

  RefusalReason(int status, boolean retryUseless, boolean comesBack) {
    this.status = status;
    this.retryUseless = retryUseless;
    this.comesBack = comesBack;
    this.code = name().toLowerCase(Locale.ROOT);
  }

  /** Returns the HTTP status. */
  public int status() {
    return status;
  }

  /**
   * Returns the HTTP status for clients that repeat every 429: 400 where repeating can never help.
   */
  public int finalStatus() {
    return this == COST_EXCEEDS_CAPACITY ? 400 : status;
  }

  /** Returns whether sending the same request again soon cannot help. */
  public boolean retryUseless() {
    return retryUseless;
  }

  /** Returns whether something comes back at a known time that the text had better tell. */
  public boolean comesBack() {
    return comesBack;
  }

  /** Returns the name clients see, such as {@code queue_full}. */
  public String code() {
    return code;
  }
}
