package io.penstock.pool;

/** The part of an upstream that a refusal because of limits is about, from small to large. */
enum RefusalScope {
  /** The requests of one tenant for one model. */
  TENANT,
  /** A model that shares its pool with others. */
  MODEL,
  /** A pool: one model, or several that share limits. */
  POOL,
  /** All models of the upstream. */
  ACCOUNT
}
