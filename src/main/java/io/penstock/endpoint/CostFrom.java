package io.penstock.endpoint;

/** Where a request's cost is read. */
public enum CostFrom {
  /** From its body, as the dialect says. */
  BODY,
  /** From {@code ?tokens=} or {@code X-Token-Cost}. */
  QUERY,
  /** From both; the larger input counts. */
  MAX,
  /** From the provider's own count of the body. */
  PROVIDER
}
