package io.penstock.key;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Maps the SHA-256 digest of a key's secret to the key: a hash table with open addressing, built
 * once and never changed. A digest is distributed as evenly as any hash of it, so its first bits
 * give the slot.
 *
 * <p>The first 128 bits of the digests are stored here instead of with the keys, so that a lookup
 * needs one line of the processor's cache. To find a text that shares these bits with one of
 * 100,000 keys takes 2^111 tries.
 */
final class KeyIndex {
  static final KeyIndex EMPTY = of(List.of());

  /** Number of 64-bit words stored of each digest. */
  private static final int WORDS = 2;

  /** The digests, {@link #WORDS} per slot. */
  private final long[] digests;

  private final @Nullable KeySpec[] specs;

  /**
   * Earlier callers by slot, only for secrets that are valid for ever. Until a key changes, and
   * with it this index, they need no further lookup.
   */
  private final @Nullable ApiCaller[] callers;

  private final int slots;
  private int size;

  private KeyIndex(int secrets) {
    // At most three of eight slots are used, so most entries are in the slot that their first bits
    // give.
    slots = Math.toIntExact(secrets * 8L / 3 + 1);
    digests = new long[Math.multiplyExact(slots, WORDS)];
    specs = new KeySpec[slots];
    callers = new ApiCaller[slots];
  }

  /** Creates an index; if two keys have the same secret, it belongs to the first. */
  static KeyIndex of(List<KeySpec> keys) {
    int secrets = 0;
    for (KeySpec key : keys) {
      secrets += key.secrets().size();
    }
    KeyIndex index = new KeyIndex(secrets);
    for (KeySpec key : keys) {
      for (KeySpec.Secret secret : key.secrets()) {
        index.put(secret, key);
      }
    }
    return index;
  }

  private void put(KeySpec.Secret secret, KeySpec key) {
    int slot = slot(secret.first());
    while (specs[slot] != null) {
      slot = next(slot);
    }
    int at = slot * WORDS;
    digests[at] = secret.first();
    digests[at + 1] = secret.second();
    specs[slot] = key;
    size++;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /**
   * Returns the caller with the secret of this digest, or null when no key has it or it is not
   * valid then.
   */
  @Nullable ApiCaller find(long first, long second, long unixMillis, KeyAccounts accounts) {
    int slot = slot(first);
    while (true) {
      if (same(slot, first, second)) {
        ApiCaller known = callers[slot];
        if (known != null) {
          return known;
        }
        KeySpec spec = specs[slot];
        if (spec != null) {
          return valid(slot, spec, unixMillis, accounts);
        }
      }
      if (specs[slot] == null) {
        return null;
      }
      slot = next(slot);
    }
  }

  /** Returns whether a secret belongs to any key, valid or not. */
  boolean has(KeySpec.Secret secret) {
    int slot = slot(secret.first());
    while (specs[slot] != null) {
      if (same(slot, secret.first(), secret.second())) {
        return true;
      }
      slot = next(slot);
    }
    return false;
  }

  /**
   * Compares both words, whatever the result for the first, so that the time reveals nothing about
   * the second.
   */
  private boolean same(int slot, long first, long second) {
    int at = slot * WORDS;
    long differing = digests[at] ^ first;
    differing |= digests[at + 1] ^ second;
    return differing == 0;
  }

  private @Nullable ApiCaller valid(int slot, KeySpec spec, long unixMillis, KeyAccounts accounts) {
    long until = Math.min(validUntil(spec, slot), spec.terms().expiresAtMillis());
    if (unixMillis >= until) {
      return null;
    }
    ApiCaller apiCaller =
        new ApiCaller(spec, accounts.of(spec), accounts.groupSpec(spec.terms().group()));
    if (until == KeySpec.NEVER) {
      callers[slot] = apiCaller;
    }
    return apiCaller;
  }

  private long validUntil(KeySpec spec, int slot) {
    for (KeySpec.Secret secret : spec.secrets()) {
      if (same(slot, secret.first(), secret.second())) {
        return secret.validUntilMillis();
      }
    }
    throw new IllegalStateException(spec + " has not the secret it was put here with");
  }

  private int slot(long first) {
    return (int) Math.unsignedMultiplyHigh(first, slots);
  }

  private int next(int slot) {
    return slot + 1 == slots ? 0 : slot + 1;
  }
}
