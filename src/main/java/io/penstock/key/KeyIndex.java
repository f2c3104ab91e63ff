package io.penstock.key;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whose a secret is, by its SHA-256: an open table, made once and never changed. A digest is as
 * evenly spread as any hash of it, so that its first bits say where to look. All that is compared
 * lies together: what is far away is waited for longer than a digest takes.
 */
final class KeyIndex {
  static final KeyIndex EMPTY = of(List.of());

  private static final int ROW = 4;

  /** A row is a digest in four words; one that is all 0 is none. */
  private final long[] rows;

  /**
   * Whose each row is: a {@link KeySpec}, or, once it called, if it is valid for good, a {@link
   * Caller}. As long as no key changes, nothing of them is looked up again.
   */
  private final @Nullable Object[] holders;

  private final int slots;
  private int size;

  private KeyIndex(int secrets) {
    // Four of five slots at most are taken, so that who is nobody is known after a few.
    slots = Math.toIntExact(secrets * 5L / 4 + 1);
    rows = new long[Math.multiplyExact(slots, ROW)];
    holders = new Object[slots];
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
    while (holders[slot] != null) {
      slot = next(slot);
    }
    int row = slot * ROW;
    rows[row] = secret.first();
    rows[row + 1] = secret.second();
    rows[row + 2] = secret.third();
    rows[row + 3] = secret.fourth();
    holders[slot] = key;
    size++;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Returns where the secret with this digest is; below 0 when it is nobody's. */
  int find(long first, long second, long third, long fourth) {
    int slot = slot(first);
    while (taken(slot)) {
      if (same(slot, first, second, third, fourth)) {
        return slot;
      }
      slot = next(slot);
    }
    return -1;
  }

  /** Nobody has a secret whose digest is all 0. */
  private boolean taken(int slot) {
    int row = slot * ROW;
    return (rows[row] | rows[row + 1] | rows[row + 2] | rows[row + 3]) != 0;
  }

  /** Returns who is at a place that was found; null when nobody is at that instant. */
  @Nullable Caller caller(int slot, Accounts accounts, long unixMillis) {
    if (holders[slot] instanceof Caller known) {
      return known;
    }
    KeySpec spec = (KeySpec) Objects.requireNonNull(holders[slot]);
    long until = Math.min(spec.expiresAtMillis(), validUntilMillis(slot, spec));
    if (unixMillis >= until) {
      return null;
    }
    Caller caller = new Caller(spec, accounts.of(spec));
    if (until == KeySpec.NEVER) {
      holders[slot] = caller;
    }
    return caller;
  }

  private long validUntilMillis(int slot, KeySpec spec) {
    for (KeySpec.Secret each : spec.secrets()) {
      if (same(slot, each.first(), each.second(), each.third(), each.fourth())) {
        return each.validUntilMillis();
      }
    }
    throw new IllegalStateException("a key is where none of its secrets is");
  }

  /** All words are compared whatever the first ones say: the time tells nothing of the others. */
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
