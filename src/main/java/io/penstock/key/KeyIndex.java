package io.penstock.key;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whose a secret is, by its SHA-256: an open table, made once and never changed. A digest is as
 * evenly spread as any hash of it, so that its first bits say where to look.
 */
final class KeyIndex {
  static final KeyIndex EMPTY = of(List.of());

  private static final int ROW = 5;
  private static final int UNTIL = 4;

  /** A row is the digest in four words, and the instant from which it is nobody's. */
  private final long[] rows;

  private final @Nullable KeySpec[] specs;
  private final int slots;
  private int size;

  private KeyIndex(int secrets) {
    // Three of five slots at most are taken, so that who is nobody is known after a few.
    slots = Math.toIntExact(secrets * 5L / 3 + 1);
    rows = new long[Math.multiplyExact(slots, ROW)];
    specs = new KeySpec[slots];
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
      if (same(slot, secret.first(), secret.second(), secret.third(), secret.fourth())) {
        return;
      }
      slot = next(slot);
    }
    int row = slot * ROW;
    rows[row] = secret.first();
    rows[row + 1] = secret.second();
    rows[row + 2] = secret.third();
    rows[row + 3] = secret.fourth();
    rows[row + UNTIL] = Math.min(secret.validUntilMillis(), key.expiresAtMillis());
    specs[slot] = key;
    size++;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Returns whose the secret with this digest is at {@code unixMillis}, or null. */
  @Nullable KeySpec find(long first, long second, long third, long fourth, long unixMillis) {
    int slot = slot(first);
    for (KeySpec spec = specs[slot]; spec != null; spec = specs[slot]) {
      if (same(slot, first, second, third, fourth)) {
        return unixMillis < rows[slot * ROW + UNTIL] ? spec : null;
      }
      slot = next(slot);
    }
    return null;
  }

  /** All four words are compared whatever the first says: its time tells nothing of the others. */
  private boolean same(int slot, long first, long second, long third, long fourth) {
    int row = slot * ROW;
    long differing = rows[row] ^ first;
    differing |= rows[row + 1] ^ second;
    differing |= rows[row + 2] ^ third;
    differing |= rows[row + 3] ^ fourth;
    return differing == 0;
  }

  private int slot(long first) {
    return (int) Math.unsignedMultiplyHigh(first, slots);
  }

  private int next(int slot) {
    return slot + 1 == slots ? 0 : slot + 1;
  }
}
