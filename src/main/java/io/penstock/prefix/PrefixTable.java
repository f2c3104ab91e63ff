package io.penstock.prefix;

import io.penstock.tenant.SharedState;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Beginnings of prompts that one upstream has in its cache for one model, as its answers confirmed.
 *
 * <p>When the table is full, the entry that was used longest ago is forgotten. A key that has a
 * quarter of the table loses entries of its own, so that one whose every prompt is new does not
 * make the table forget those of others. Safe from any thread.
 */
final class PrefixTable {
  /** Number of beginnings that are remembered. */
  static final int MOST = 20_000;

  /**
   * Time by which an entry is forgotten before its provider forgets it: a request that relies on it
   * takes some time to get there.
   */
  static final long MARGIN_NANOS = 5_000_000_000L;

  private static final int SHARES = 4;
  private static final int LONGEST_SEARCH = 64;
  private static final long SECOND_NANOS = 1_000_000_000L;

  /**
   * A beginning in the cache.
   *
   * @param tokens its size as the provider counts it
   * @param sinceNanos when it became known
   */
  private record Entry(
      long tokens, long lifetimeNanos, long sinceNanos, long usedNanos, String key) {
    boolean expired(long now) {
      return now - usedNanos >= lifetimeNanos - MARGIN_NANOS;
    }
  }

  /**
   * The longest beginning of a prompt that is in the cache.
   *
   * @param boundary where it ends
   * @param tokens its size as the provider counts it
   * @param sinceNanos when it became known
   */
  record Held(Boundary boundary, long tokens, long sinceNanos) {}

  private final int most;

  @SharedState("prompts in caches")
  private final LinkedHashMap<Long, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

  @SharedState("prompts in caches")
  private final Map<String, Integer> ofKey = new HashMap<>();

  PrefixTable() {
    this(MOST);
  }

  PrefixTable(int most) {
    this.most = most;
  }

  /** Returns the longest beginning that is in the cache, or null. */
  synchronized @Nullable Held longest(PromptPrefix prefix, long now) {
    for (int i = prefix.boundaries().size() - 1; i >= 0; i--) {
      Boundary boundary = prefix.boundaries().get(i);
      Entry entry = entries.get(boundary.fingerprint());
      if (entry != null && !entry.expired(now)) {
        return new Held(boundary, entry.tokens(), entry.sinceNanos());
      }
    }
    return null;
  }

  /**
   * Notes that a beginning is in the cache and was used now.
   *
   * @param tokens its size as the provider counts it, ≥ 0
   * @param key the key whose request used it
   */
  synchronized void add(Boundary boundary, long tokens, String key, long now) {
    Entry before = entries.get(boundary.fingerprint());
    if (before == null) {
      makeRoom(key);
      ofKey.merge(key, 1, Integer::sum);
    }
    long lifetime = boundary.lifetimeSeconds() * SECOND_NANOS;
    // an entry that was stored for an hour is kept for an hour, whatever reads it
    Entry kept = before == null || before.expired(now) ? null : before;
    entries.put(
        boundary.fingerprint(),
        new Entry(
            tokens,
            kept == null ? lifetime : Math.max(lifetime, kept.lifetimeNanos()),
            kept == null ? now : kept.sinceNanos(),
            now,
            before == null ? key : before.key()));
  }

  /** Notes that a beginning is not in the cache. */
  synchronized void remove(Boundary boundary) {
    Entry removed = entries.remove(boundary.fingerprint());
    if (removed != null) {
      forget(removed);
    }
  }

  private void makeRoom(String key) {
    boolean tooMany = ofKey.getOrDefault(key, 0) >= Math.max(1, most / SHARES);
    if (entries.size() < most && !tooMany) {
      return;
    }
    Iterator<Entry> oldest = entries.values().iterator();
    int searched = 0;
    while (tooMany && oldest.hasNext() && searched++ < LONGEST_SEARCH) {
      Entry each = oldest.next();
      if (each.key().equals(key)) {
        oldest.remove();
        forget(each);
        return;
      }
    }
    if (entries.size() >= most) {
      Iterator<Entry> first = entries.values().iterator();
      Entry each = first.next();
      first.remove();
      forget(each);
    }
  }

  private void forget(Entry entry) {
    ofKey.computeIfPresent(entry.key(), (key, count) -> count == 1 ? null : count - 1);
  }

  synchronized int size() {
    return entries.size();
  }
}
