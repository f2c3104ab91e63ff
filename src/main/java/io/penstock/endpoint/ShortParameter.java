package io.penstock.endpoint;

/**
 * A short name under which a request may state a parameter. An upstream may use the same name for
 * something else, so an endpoint reads it only where its configuration says so: see {@link
 * EndpointSpec.Reading#reads}. The long names are read at every endpoint.
 */
public enum ShortParameter {
  /** {@code ?timeout=} in the query. */
  TIMEOUT_IN_QUERY("?timeout", "x-penstock-timeout"),
  /** {@code ?tokens=} in the query. */
  TOKENS_IN_QUERY("?tokens", "x-penstock-tokens"),
  TIMEOUT_HEADER("X-Timeout", "x-penstock-timeout"),
  TOKEN_COST_HEADER("X-Token-Cost", "x-penstock-tokens"),
  PRIORITY_HEADER("X-Priority", "x-penstock-priority"),
  SENT_AT_HEADER("X-Sent-At", "x-penstock-sent-at");

  private final String text;
  private final String longName;

  ShortParameter(String text, String longName) {
    this.text = text;
    this.longName = longName;
  }

  /** Returns the name of the header, or a question mark and the name of the query parameter. */
  public String text() {
    return text;
  }

  /** Returns the header that states the same at every endpoint. */
  public String longName() {
    return longName;
  }

  /** Returns whether it is a header; otherwise it is in the query. */
  public boolean isHeader() {
    return this != TIMEOUT_IN_QUERY && this != TOKENS_IN_QUERY;
  }

  /** Returns whether it states the cost. */
  boolean statesCost() {
    return this == TOKENS_IN_QUERY || this == TOKEN_COST_HEADER;
  }
}
