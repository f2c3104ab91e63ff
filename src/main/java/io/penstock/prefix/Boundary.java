package io.penstock.prefix;

/**
 * A place in a prompt up to which a provider may have it in its cache.
 *
 * <p>The fingerprint is a hash of 64 bits. Among 100,000 known prefixes, the chance that a new one
 * is taken for one of them is below 1 in 10¹⁴. It is made with a secret key, so that nobody can
 * write a prompt with the fingerprint of another one.
 *
 * @param fingerprint a hash of everything before the place; the same in all instances with the same
 *     key
 * @param tokens the estimated tokens before the place, ≥ 0, by the rule of thumb for text that no
 *     tokenizer has counted, in the same unit as the input of {@code RequestContent}
 * @param stored whether the provider stores the prompt up to the place; otherwise it only looks
 *     there for what an earlier request stored
 * @param lifetimeSeconds how long the provider keeps it after each use
 */
public record Boundary(long fingerprint, long tokens, boolean stored, int lifetimeSeconds) {
  /** The lifetime of an entry, unless the request asks for another one. */
  public static final int SHORT_LIFETIME_SECONDS = 300;

  /** The lifetime of an entry for which the request asks for an hour. */
  public static final int LONG_LIFETIME_SECONDS = 3_600;
}
