package io.penstock.key;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whose a secret is, by its SHA-256: an open table, made once and never changed. A digest is as
 * evenly spread as any hash of it, so that its first bits say where to look. The digests are here
 * and not with the keys: what a request needs is on one line of the processor's cache.
 */
final class KeyIndex {
  static final KeyIndex EMPTY = of(List.of());

  /** The words of a digest. */
  private static final int WORDS = 4;

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
    // Five of eight slots at most are taken: most are where their first bits say.
    slots = Math.toIntExact(secrets * 8L / 5 + 1);
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
    digests[at + 2] = secret.third();
    digests[at + 3] = secret.fourth();
    specs[slot] = key;
    size++;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Returns who has the secret with this digest, or null when it is nobody's then. */
  @Nullable Caller find(
      long first, long second, long third, long fourth, long unixMillis, Accounts accounts) {
    int slot = slot(first);
    while (true) {
      if (same(slot, first, second, third, fourth)) {
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

  /** All words are compared whatever the first ones say: the time tells nothing of the others. */
  private boolean same(int slot, long first, long second, long third, long fourth) {
    int at = slot * WORDS;
    long differing = digests[at] ^ first;
    differing |= digests[at + 1] ^ second;
    differing |= digests[at + 2] ^ third;
    differing |= digests[at + 3] ^ fourth;
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
      if (same(slot, secret.first(), secret.second(), secret.third(), secret.fourth())) {
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
