package io.penstock.key;

import io.penstock.quota.LimitUse;
import io.penstock.refusal.Refusal;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.SharingMode;
import io.penstock.tenant.PromiseHolder;
import io.penstock.time.WallClock;
import io.penstock.usage.UsedTokens;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All keys, from route files and from the key store. A lookup takes no lock. Safe from any thread.
 */
public final class KeyRegistry {
  private static final Comparator<KeySpec> BY_NAME = Comparator.comparing(KeySpec::name);

  /**
   * Immutable state of this object.
   *
   * @param ofFiles keys of route files, sorted by name
   * @param ofStore keys of the store, sorted by name; null without a store
   * @param ofOtherOwners present keys whose limits have another owner than their names, by owner
   */
  private record State(
      List<KeySpec> ofFiles,
      @Nullable List<KeySpec> ofStore,
      Set<String> groups,
      KeyIndex index,
      Map<String, KeySpec> ofOtherOwners) {
    static final State NONE = new State(List.of(), null, Set.of(), KeyIndex.EMPTY, Map.of());

    static State of(List<KeySpec> ofFiles, @Nullable List<KeySpec> ofStore, Set<String> groups) {
      List<KeySpec> all = new ArrayList<>(ofFiles);
      if (ofStore != null) {
        ofStore.stream().filter(key -> counts(key, ofFiles)).forEach(all::add);
      }
      Map<String, KeySpec> ofOtherOwners = new HashMap<>();
      for (KeySpec key : all) {
        String owner = key.identity().limitOwner();
        if (!owner.equals(key.name())) {
          ofOtherOwners.put(owner, key);
        }
      }
      return new State(ofFiles, ofStore, groups, KeyIndex.of(all), Map.copyOf(ofOtherOwners));
    }

    /** Returns whether no key of route files has the name of a stored key, or its limits. */
    private static boolean counts(KeySpec stored, List<KeySpec> ofFiles) {
      return named(ofFiles, stored.name()) == null
          && named(ofFiles, stored.identity().limitOwner()) == null;
    }

    @Nullable KeySpec find(String name) {
      KeySpec spec = named(ofFiles, name);
      return spec != null || ofStore == null ? spec : named(ofStore, name);
    }

    @Nullable KeySpec owning(String limitOwner) {
      KeySpec spec = find(limitOwner);
      return spec != null && spec.identity().limitOwner().equals(limitOwner)
          ? spec
          : ofOtherOwners.get(limitOwner);
    }
  }

  private final KeyAccounts accounts;
  private volatile State state = State.NONE;
  private volatile Runnable changed = () -> {};

  /**
   * Creates an empty set.
   *
   * @param limits the source of limits
   * @param windowNanos the window of the limits per minute: 60 s, shorter in tests
   */
  public KeyRegistry(LimitSource limits, long windowNanos) {
    this(limits, windowNanos, UsedTokens.NONE, sharing -> true);
  }

  /**
   * Creates an empty set.
   *
   * @param usedTokens what keys and groups have used, for budgets that they get later
   * @param waitsByDefault says whether requests wait for limits that instances share in that way,
   *     null being the default way, where neither their key nor its group says it
   */
  public KeyRegistry(
      LimitSource limits,
      long windowNanos,
      UsedTokens usedTokens,
      Predicate<@Nullable SharingMode> waitsByDefault) {
    accounts = new KeyAccounts(limits, windowNanos, usedTokens, waitsByDefault, WallClock.system());
  }

  /**
   * Sets the listener that is called after each change of stored keys: a key may have got a group
   * or a limit for a model. It is called under a lock and must not block. {@link #configure} does
   * not call it, because the endpoints of the same route files are configured after it.
   */
  public void whenChanged(Runnable listener) {
    changed = listener;
  }

  /** Applies the keys and groups of route files; charges of those that stay are kept. */
  public synchronized void configure(
      Collection<KeySpec> keys, Collection<GroupSpec> all, long now) {
    accounts.configure(all, now);
    Set<String> groups = all.stream().map(GroupSpec::name).collect(Collectors.toUnmodifiableSet());
    state = State.of(keys.stream().sorted(BY_NAME).toList(), state.ofStore(), groups);
    accounts.follow(this::owning, key -> revocation(key, Map.of()), now);
  }

  /**
   * Applies the keys of the store. A key of the route files wins over a stored key with the same
   * name.
   */
  public void stored(Collection<KeySpec> keys, long now) {
    stored(keys, Map.of(), now);
  }

  /**
   * Applies the keys of the store.
   *
   * @param revocations what becomes of requests of keys that are not in it any more, by the owner
   *     of their limits; waiting ones of others are refused
   */
  public synchronized void stored(
      Collection<KeySpec> keys, Map<String, Revocation> revocations, long now) {
    store(keys.stream().sorted(BY_NAME).toList(), revocations, now);
  }

  /** Applies a new or changed key of the store. */
  public synchronized void stored(KeySpec key, long now) {
    List<KeySpec> next = others(key.name());
    next.add(key);
    stored(next, now);
  }

  /** Removes a stored key. */
  public synchronized void removed(KeySpec key, Revocation revocation, long now) {
    store(others(key.name()), Map.of(key.identity().limitOwner(), revocation), now);
  }

  private List<KeySpec> others(String name) {
    List<KeySpec> known = state.ofStore() == null ? List.of() : state.ofStore();
    return new ArrayList<>(known.stream().filter(key -> !key.name().equals(name)).toList());
  }

  private void store(List<KeySpec> sorted, Map<String, Revocation> revocations, long now) {
    state = State.of(state.ofFiles(), List.copyOf(sorted), state.groups());
    accounts.follow(this::owning, key -> revocation(key, revocations), now);
    changed.run();
  }

  /** Returns what becomes of the requests of a key that is gone. */
  private Revocation revocation(KeySpec gone, Map<String, Revocation> revocations) {
    boolean known = gone.secrets().stream().anyMatch(state.index()::has);
    return known
        ? Revocation.KEEPS_WAITING
        : revocations.getOrDefault(gone.identity().limitOwner(), Revocation.REFUSES_WAITING);
  }

  /**
   * Returns whether requests need a key: if any key exists, or a store for keys. Otherwise revoking
   * the last stored key would admit all requests.
   */
  public boolean any() {
    State seen = state;
    return seen.ofStore() != null || !seen.index().isEmpty();
  }

  /**
   * Returns the caller with a secret, or null when no key has it or it is not valid at {@code
   * unixMillis}.
   */
  public @Nullable ApiCaller caller(String secret, long unixMillis) {
    ApiCaller caller = SecretHasher.find(state.index(), secret, unixMillis, accounts);
    if (caller != null) {
      caller.account().used(unixMillis);
    }
    return caller;
  }

  /** Takes a call of a key that costs nothing; returns its refusal, or null when it may go. */
  public @Nullable Refusal takeLight(KeySpec key, PromiseHolder client, long now) {
    return accounts.takeLight(key, client, now);
  }

  /**
   * Returns the Unix time in milliseconds at which the secret of a key was last looked up here, to
   * the second; 0 if that has not happened since the start of this instance.
   */
  public long usedAtMillis(KeySpec key) {
    return accounts.usedAtMillis(key);
  }

  /** Returns the use of the limits of a key, of the key for its models, and of its group. */
  public List<LimitUse> uses(KeySpec key, long now) {
    return accounts.of(key).uses(new TreeSet<>(key.terms().models().keySet()), now);
  }

  /** Returns whether the key with that name has a budget. */
  public boolean hasBudget(String name) {
    KeySpec spec = find(name);
    return spec != null && spec.terms().limits().budgetTokensPerDay() > 0;
  }

  /**
   * Gives the budget of a key back as a whole; what its running requests still use counts from then
   * on. Returns false and changes nothing if other instances share it.
   */
  public boolean resetBudget(KeySpec key, long now) {
    return accounts.resetBudget(key, now);
  }

  /** Returns the use of the budget of a key; empty while nothing of it counts, or it has none. */
  public List<LimitUse> budgetUses(String name, long now) {
    KeySpec spec = find(name);
    return spec == null ? List.of() : accounts.budgetUses(spec, now);
  }

  /** Returns the use of the budgets of keys with certain names, where something of it counts. */
  public List<LimitUse> budgetUses(Predicate<String> names, long now) {
    return accounts.budgetUses(names, now);
  }

  /**
   * Returns the limits of a key without those of its group; the limits for {@code model} come last.
   */
  public List<KeyLimit> limits(KeySpec key, @Nullable String model) {
    return accounts.limits(key, model);
  }

  /** Returns the key of route files with that name, or null. */
  public @Nullable KeySpec ofFiles(String name) {
    return named(state.ofFiles(), name);
  }

  /** Returns the key with a name, or null; route files win over the store. */
  public @Nullable KeySpec find(String name) {
    return state.find(name);
  }

  /** Returns the present key with limits of that owner, or null. */
  private @Nullable KeySpec owning(String limitOwner) {
    return state.owning(limitOwner);
  }

  /** Returns how the limits of an owner of keys' limits are shared, or null for the default. */
  public @Nullable SharingMode sharing(String limitOwner) {
    KeySpec spec = owning(limitOwner);
    return spec == null ? null : spec.terms().policy().sharing();
  }

  /**
   * Returns keys, sorted by name.
   *
   * @param after the name after which the list begins
   * @param limit the most keys to return
   */
  public List<KeySpec> list(String after, int limit) {
    State seen = state;
    List<KeySpec> all = new ArrayList<>(above(seen.ofFiles(), after, limit));
    if (seen.ofStore() != null) {
      // Stored keys that do not count, because a file has a key with their name, must not shorten
      // the list.
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
   * Returns the names of stored keys with a group that is in no route file: no limits of a group
   * apply to them.
   */
  public List<String> withoutTheirGroup() {
    State seen = state;
    return seen.ofStore() == null
        ? List.of()
        : seen.ofStore().stream()
            .filter(
                key -> key.terms().group() != null && !seen.groups().contains(key.terms().group()))
            .map(KeySpec::name)
            .toList();
  }

  /** Returns whether a secret belongs to a key of route files. */
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

  /** Searches by name, as {@link java.util.Collections#binarySearch(List, Object)} does. */
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
