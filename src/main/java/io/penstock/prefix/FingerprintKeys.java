package io.penstock.prefix;

import org.jspecify.annotations.Nullable;

/**
 * The keys of the hashes of prompts in this instance: one of the whole fleet, and from it one of
 * each tenant. Fingerprints that were made with an earlier key are found no more, as if nothing
 * were known of their prompts. Safe from any thread.
 */
public final class FingerprintKeys {
  private volatile HashKey ofFleet;

  /**
   * Creates the keys.
   *
   * @param secret the secret of the fleet; null for a random one
   */
  public FingerprintKeys(@Nullable String secret) {
    ofFleet = secret == null ? HashKey.OF_PROCESS : HashKey.of(secret);
  }

  /** Uses the secret that all instances share from now on. */
  public void share(String secret) {
    ofFleet = HashKey.of(secret);
  }

  /**
   * Returns the key for a prompt.
   *
   * @param tenant the only one who is to meet its fingerprints; null for everybody
   */
  public HashKey of(@Nullable String tenant) {
    HashKey all = ofFleet;
    return tenant == null ? all : all.ofTenant(tenant);
  }
}
