package io.penstock.endpoint;

/** Source of a request's cost. */
public enum CostSource {
  /** The body, as the dialect says. */
  BODY,
  /** {@code ?tokens=} or {@code X-Token-Cost}. */
  QUERY,
  /** Both; the larger input counts. */
  MAX,
  /** The provider's own count of the body. */
  PROVIDER
}
