package io.penstock.cost;

import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounded map of learned values. When there is no room for another entry, the tenth that was
 * touched longest ago is forgotten. Safe from any thread; only adding an entry may block.
 */
public final class RecentEntries<K, V> {
  private static final class Entry<V> {
    private final V value;
    private volatile long touched;

    Entry(V value) {
      this.value = value;
    }
  }

  private final int most;
  private final Supplier<V> empty;
  private final ConcurrentMap<K, Entry<V>> entries = new ConcurrentHashMap<>();
  private final AtomicLong touches = new AtomicLong();

  public RecentEntries(int most, Supplier<V> empty) {
    this.most = most;
    this.empty = empty;
  }

  /** Returns the value, or null. */
  public @Nullable V find(K of) {
    Entry<V> known = entries.get(of);
    return known == null ? null : known.value;
  }

  /** Returns the value, or that of a new entry, and marks the entry as touched last. */
  public V touch(K of) {
    Entry<V> known = entries.get(of);
    Entry<V> entry = known == null ? added(of) : known;
    entry.touched = touches.incrementAndGet();
    return entry.value;
  }

  private synchronized Entry<V> added(K of) {
    Entry<V> known = entries.get(of);
    if (known != null) {
      return known;
    }
    if (entries.size() >= most) {
      forget();
    }
    Entry<V> entry = new Entry<>(empty.get());
    entry.touched = touches.incrementAndGet();
    entries.put(of, entry);
    return entry;
  }

  private void forget() {
    long[] touched = entries.values().stream().mapToLong(entry -> entry.touched).toArray();
    Arrays.sort(touched);
    long last = touched[touched.length / 10];
    entries.values().removeIf(entry -> entry.touched <= last);
  }

  public int size() {
    return entries.size();
  }
}
