package io.penstock.key;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whose a secret is, by its SHA-256: an open table, made once and never changed. A digest is as
 * evenly spread as any hash of it, so that its first bits say where to look.
 */
final class KeyIndex {
  static final KeyIndex EMPTY = of(List.of());

  /** The first word of a digest, beside whose it is. */
  private final long[] firsts;

  private final @Nullable KeySpec[] specs;

  /** Who called before: as long as no key changes, nothing of them is looked up again. */
  private final @Nullable Caller[] callers;

  private final int slots;
  private int size;

  private KeyIndex(int secrets) {
    // Three of five slots at most are taken, so that who is nobody is known after a few.
    slots = Math.toIntExact(secrets * 5L / 3 + 1);
    firsts = new long[slots];
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
        index.put(secret.first(), key);
      }
    }
    return index;
  }

  private void put(long first, KeySpec key) {
    int slot = slot(first);
    while (specs[slot] != null) {
      slot = next(slot);
    }
    firsts[slot] = first;
    specs[slot] = key;
    size++;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Returns where the secret with this digest is; below 0 when it is nobody's then. */
  int find(long first, long second, long third, long fourth, long unixMillis) {
    int slot = slot(first);
    for (KeySpec spec = specs[slot]; spec != null; spec = specs[slot]) {
      if (firsts[slot] == first) {
        KeySpec.Secret secret = secret(spec, first, second, third, fourth);
        if (secret != null) {
          boolean valid =
              unixMillis < secret.validUntilMillis() && unixMillis < spec.expiresAtMillis();
          return valid ? slot : -1;
        }
      }
      slot = next(slot);
    }
    return -1;
  }

  /** Returns who is at a place that was found. */
  Caller caller(int slot, Accounts accounts) {
    Caller known = callers[slot];
    if (known == null) {
      KeySpec spec = Objects.requireNonNull(specs[slot]);
      known = new Caller(spec, accounts.of(spec));
      callers[slot] = known;
    }
    return known;
  }

  private static KeySpec.@Nullable Secret secret(
      KeySpec spec, long first, long second, long third, long fourth) {
    List<KeySpec.Secret> secrets = spec.secrets();
    for (int at = 0; at < secrets.size(); at++) {
      if (same(secrets.get(at), first, second, third, fourth)) {
        return secrets.get(at);
      }
    }
    return null;
  }

  /** All words are compared whatever the first ones say: the time tells nothing of the others. */
  private static boolean same(
      KeySpec.Secret secret, long first, long second, long third, long fourth) {
    long differing = secret.first() ^ first;
    differing |= secret.second() ^ second;
    differing |= secret.third() ^ third;
    differing |= secret.fourth() ^ fourth;
    return differing == 0;
  }

  private int slot(long first) {
    return (int) Math.unsignedMultiplyHigh(first, slots);
  }

  private int next(int slot) {
    return slot + 1 == slots ? 0 : slot + 1;
  }
}
