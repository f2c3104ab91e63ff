package io.penstock.cost;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounded map of learned values, in which each owner has a share. When there is no room for another
 * entry, a tenth is forgotten: first of those owners that have more entries than others, and among
 * equals what was touched longest ago. So an owner with at most {@value #SHARE} entries, or with
 * fewer than others, loses nothing to one that adds many. Safe from any thread; only adding an
 * entry may block.
 */
public final class RecentEntries<K, V> {
  /** Number of entries of an owner that go before those of others only by their age. */
  static final int SHARE = 8;

  private static final Object NOBODY = new Object();

  private static final class Entry<V> {
    private final V value;
    private final Object owner;
    private volatile long touched;

    Entry(V value, Object owner) {
      this.value = value;
      this.owner = owner;
    }
  }

  /** A touch of an entry, as it is looked at when some are forgotten. */
  private record Touch<K>(K key, Object owner, long at) {}

  /** An entry, and how many its owner has touched since, beyond the share. */
  private record Excess<K>(K key, int entries) {}

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
    return touch(of, NOBODY);
  }

  /**
   * Returns the value, or that of a new entry, and marks the entry as touched last.
   *
   * @param owner the owner of a new entry, such as the name of a key
   */
  public V touch(K of, Object owner) {
    Entry<V> known = entries.get(of);
    Entry<V> entry = known == null ? added(of, owner) : known;
    entry.touched = touches.incrementAndGet();
    return entry.value;
  }

  private synchronized Entry<V> added(K of, Object owner) {
    Entry<V> known = entries.get(of);
    if (known != null) {
      return known;
    }
    if (entries.size() >= most) {
      forget();
    }
    Entry<V> entry = new Entry<>(empty.get(), owner);
    entry.touched = touches.incrementAndGet();
    entries.put(of, entry);
    return entry;
  }

  private void forget() {
    List<Touch<K>> newestFirst = new ArrayList<>();
    entries.forEach((key, entry) -> newestFirst.add(new Touch<>(key, entry.owner, entry.touched)));
    newestFirst.sort(Comparator.comparingLong((Touch<K> each) -> each.at()).reversed());
    Map<Object, Integer> ofOwner = new HashMap<>();
    List<Excess<K>> excess = new ArrayList<>();
    for (Touch<K> each : newestFirst) {
      int place = ofOwner.merge(each.owner(), 1, Integer::sum);
      excess.add(new Excess<>(each.key(), Math.max(0, place - SHARE)));
    }
    excess.sort(Comparator.comparingInt(Excess::entries)); // stable: the newest of equals stay
    int kept = excess.size() - excess.size() / 10 - 1;
    excess.subList(kept, excess.size()).forEach(each -> entries.remove(each.key()));
  }

  public int size() {
    return entries.size();
  }
}
