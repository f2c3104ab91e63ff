package io.penstock.key;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whose a secret is, by its SHA-256: an open table, made once and never changed. A digest is as
 * evenly spread as any hash of it, so that its first bits say where to look.
 *
 * <p>Its first 128 bits are here, and not with the keys: what a request needs is on one line of the
 * processor's cache. To find any text that has those of one of 100,000 keys takes 2^111 tries.
 */
final class KeyIndex {
  static final KeyIndex EMPTY = of(List.of());

  /** Of a digest, 64 bits each. */
  private static final int WORDS = 2;

  /** The digests, {@link #WORDS} a slot. */
  private final long[] digests;

  private final @Nullable KeySpec[] specs;

  /**
   * Who called before, when the secret is valid for ever: as long as no key changes, nothing of
   * them is looked up again.
   */
  private final @Nullable Caller[] callers;

  private final int slots;
  private int size;

  private KeyIndex(int secrets) {
    // Three of eight slots at most are taken: most are where their first bits say.
    slots = Math.toIntExact(secrets * 8L / 3 + 1);
    digests = new long[Math.multiplyExact(slots, WORDS)];
    specs = new KeySpec[slots];
    callers = new Caller[slots];
  }

  /** Makes one; of two keys with one secret the first has it. */
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

  /** Returns who has the secret with this digest, or null when it is nobody's then. */
  @Nullable Caller find(long first, long second, long unixMillis, Accounts accounts) {
    int slot = slot(first);
    while (true) {
      if (same(slot, first, second)) {
        Caller known = callers[slot];
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

  /** Both words are compared whatever the first says: the time tells nothing of the other. */
  private boolean same(int slot, long first, long second) {
    int at = slot * WORDS;
    long differing = digests[at] ^ first;
    differing |= digests[at + 1] ^ second;
    return differing == 0;
  }

  private @Nullable Caller valid(int slot, KeySpec spec, long unixMillis, Accounts accounts) {
    long until = Math.min(validUntil(spec, slot), spec.expiresAtMillis());
    if (unixMillis >= until) {
      return null;
    }
    Caller caller = new Caller(spec, accounts.of(spec));
    if (until == KeySpec.NEVER) {
      callers[slot] = caller;
    }
    return caller;
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
