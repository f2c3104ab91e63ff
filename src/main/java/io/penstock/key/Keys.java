package io.penstock.key;

import io.penstock.quota.LimitSource;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All keys: those of route files, and those of the store. Looking one up takes no lock. Safe from
 * any thread.
 */
public final class Keys {
  private record Held(KeySpec spec, KeySpec.Secret secret) {}

  private final Accounts accounts;
  private Collection<KeySpec> ofFiles = List.of();
  private Collection<KeySpec> ofStore = List.of();
  private volatile Map<String, Held> bySecret = Map.of();

  /**
   * Makes an empty set.
   *
   * @param limits where limits come from
   * @param windowNanos the window of the per-minute limits: 60 s, shorter in tests
   */
  public Keys(LimitSource limits, long windowNanos) {
    accounts = new Accounts(limits, windowNanos);
  }

  /** Takes over the keys and groups of route files; spend of those that stay is kept. */
  public synchronized void configure(
      Collection<KeySpec> keys, Collection<GroupSpec> all, long now) {
    ofFiles = List.copyOf(keys);
    accounts.configure(all, now);
    index();
  }

  /** Takes over the keys of the store; of two with one name that of the route files counts. */
  public synchronized void stored(Collection<KeySpec> keys, long now) {
    ofStore = List.copyOf(keys);
    index();
  }

  private void index() {
    Map<String, Held> next = new HashMap<>();
    for (Collection<KeySpec> each : List.of(ofStore, ofFiles)) {
      for (KeySpec spec : each) {
        spec.secrets().forEach(secret -> next.put(secret.sha256(), new Held(spec, secret)));
      }
    }
    bySecret = Map.copyOf(next);
  }

  /** Returns whether there is any key. */
  public boolean any() {
    return !bySecret.isEmpty();
  }

  /**
   * Returns who calls with a secret, or null when it is nobody's, or not valid at {@code
   * unixMillis}.
   */
  public @Nullable Caller caller(String secret, long unixMillis) {
    Held held = bySecret.get(digest(secret));
    if (held == null
        || unixMillis >= held.secret().validUntilMillis()
        || unixMillis >= held.spec().expiresAtMillis()) {
      return null;
    }
    KeySpec spec = held.spec();
    return new Caller(spec, accounts.of(spec));
  }

  private static String digest(String secret) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }
}
