package io.penstock.key;

import io.penstock.quota.LimitSource;
import io.penstock.quota.Sharing;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All keys: those of route files, and those of the store. Looking one up takes no lock. Safe from
 * any thread.
 */
public final class Keys {
  private static final Comparator<KeySpec> BY_NAME = Comparator.comparing(KeySpec::name);

  /**
   * All that is known, in one piece.
   *
   * @param ofFiles by name
   * @param ofStore by name; null without a store
   */
  private record State(
      List<KeySpec> ofFiles, @Nullable List<KeySpec> ofStore, Set<String> groups, KeyIndex index) {
    static final State NONE = new State(List.of(), null, Set.of(), KeyIndex.EMPTY);

    static State of(List<KeySpec> ofFiles, @Nullable List<KeySpec> ofStore, Set<String> groups) {
      List<KeySpec> all = new ArrayList<>(ofFiles);
      if (ofStore != null) {
        ofStore.stream().filter(key -> named(ofFiles, key.name()) == null).forEach(all::add);
      }
      return new State(ofFiles, ofStore, groups, KeyIndex.of(all));
    }
  }

  private final Accounts accounts;
  private volatile State state = State.NONE;
  private volatile Runnable changed = () -> {};

  /**
   * Makes an empty set.
   *
   * @param limits where limits come from
   * @param windowNanos the window of the per-minute limits: 60 s, shorter in tests
   */
  public Keys(LimitSource limits, long windowNanos) {
    accounts = new Accounts(limits, windowNanos);
  }

  /**
   * Has {@code listener} called after each change of stored keys: one may have a group now, or a
   * limit for a model. It is called under a lock and must not wait. {@link #configure} does not
   * call it, because the endpoints of the same route files follow.
   */
  public void whenChanged(Runnable listener) {
    changed = listener;
  }

  /** Takes over the keys and groups of route files; spend of those that stay is kept. */
  public synchronized void configure(
      Collection<KeySpec> keys, Collection<GroupSpec> all, long now) {
    accounts.configure(all, now);
    Set<String> groups = all.stream().map(GroupSpec::name).collect(Collectors.toUnmodifiableSet());
    state = State.of(keys.stream().sorted(BY_NAME).toList(), state.ofStore(), groups);
    accounts.follow(this::find, now);
  }

  /** Takes over the keys of the store; of two with one name that of the route files counts. */
  public synchronized void stored(Collection<KeySpec> keys, long now) {
    store(keys.stream().sorted(BY_NAME).toList(), now);
  }

  /** Takes over one key of the store, whether it is new or not. */
  public synchronized void stored(KeySpec key, long now) {
    List<KeySpec> next = others(key.name());
    next.add(key);
    stored(next, now);
  }

  /** Forgets the key of that name of the store. */
  public synchronized void removed(String name, long now) {
    store(List.copyOf(others(name)), now);
  }

  private List<KeySpec> others(String name) {
    List<KeySpec> known = state.ofStore() == null ? List.of() : state.ofStore();
    return new ArrayList<>(known.stream().filter(key -> !key.name().equals(name)).toList());
  }

  private void store(List<KeySpec> sorted, long now) {
    state = State.of(state.ofFiles(), sorted, state.groups());
    accounts.follow(this::find, now);
    changed.run();
  }

  /**
   * Returns whether requests need a key: there is one, or a store for some. Without that, revoking
   * the last one would let everybody in.
   */
  public boolean any() {
    State seen = state;
    return seen.ofStore() != null || !seen.index().isEmpty();
  }

  /**
   * Returns who calls with a secret, or null when it is nobody's, or not valid at {@code
   * unixMillis}.
   */
  public @Nullable Caller caller(String secret, long unixMillis) {
    return Hasher.find(state.index(), secret, unixMillis, accounts);
  }

  /** Returns the limits of a key of its own, those that count only {@code model} last. */
  public List<KeyLimit> limits(KeySpec key, @Nullable String model) {
    return accounts.limits(key, model);
  }

  /** Returns the key of route files with that name, or null. */
  public @Nullable KeySpec ofFiles(String name) {
    return named(state.ofFiles(), name);
  }

  /** Returns the key that counts under a name, or null. */
  public @Nullable KeySpec find(String name) {
    State seen = state;
    KeySpec spec = named(seen.ofFiles(), name);
    return spec != null || seen.ofStore() == null ? spec : named(seen.ofStore(), name);
  }

  /** Returns how the limits of the key of a name are shared, or null where nobody says it. */
  public @Nullable Sharing sharing(String name) {
    KeySpec spec = find(name);
    return spec == null ? null : spec.sharing();
  }

  /**
   * Returns keys by name.
   *
   * @param after only those whose names come after this one
   * @param limit no more than this
   */
  public List<KeySpec> list(String after, int limit) {
    State seen = state;
    List<KeySpec> all = new ArrayList<>(above(seen.ofFiles(), after, limit));
    if (seen.ofStore() != null) {
      // Those that do not count, because a file has their name, make no room for others here.
      for (KeySpec key : above(seen.ofStore(), after, limit + seen.ofFiles().size())) {
        if (named(seen.ofFiles(), key.name()) == null) {
          all.add(key);
        }
      }
    }
    return all.stream().sorted(BY_NAME).limit(limit).toList();
  }

  /** Returns whether a group is known. */
  public boolean hasGroup(String name) {
    return state.groups().contains(name);
  }

  /**
   * Returns the names of stored keys whose group is in no route file: no limit of one is theirs.
   */
  public List<String> withoutTheirGroup() {
    State seen = state;
    return seen.ofStore() == null
        ? List.of()
        : seen.ofStore().stream()
            .filter(key -> key.group() != null && !seen.groups().contains(key.group()))
            .map(KeySpec::name)
            .toList();
  }

  /** Returns whether a secret is that of a key of route files. */
  public boolean inFiles(KeySpec.Secret secret) {
    return state.ofFiles().stream()
        .flatMap(key -> key.secrets().stream())
        .anyMatch(each -> each.sha256().equals(secret.sha256()));
  }

  private static List<KeySpec> above(List<KeySpec> sorted, String after, int limit) {
    int at = position(sorted, after);
    int from = at >= 0 ? at + 1 : -at - 1;
    return sorted.subList(from, (int) Math.min(sorted.size(), (long) from + limit));
  }

  private static @Nullable KeySpec named(List<KeySpec> sorted, String name) {
    int at = position(sorted, name);
    return at < 0 ? null : sorted.get(at);
  }

  /** As {@link java.util.Collections#binarySearch(List, Object)}. */
  private static int position(List<KeySpec> sorted, String name) {
    int low = 0;
    int high = sorted.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = sorted.get(middle).name().compareTo(name);
      if (order == 0) {
        return middle;
      }
      low = order < 0 ? middle + 1 : low;
      high = order < 0 ? high : middle - 1;
    }
    return -(low + 1);
  }
}
