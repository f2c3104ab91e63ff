package io.penstock.quota;

import java.util.Map;

/**
 * How limits are to be shared, as far as anybody said it. Immutable.
 *
 * @param said by whose limits they are; an endpoint's stands for those below its path too
 */
public record SharingTerms(Map<Owner, Sharing> said) {
  /** Nobody said anything. */
  public static final SharingTerms NONE = new SharingTerms(Map.of());

  /** The shortest trailing window of which instances can spend slices: a sixtieth of it each. */
  public static final long SHORTEST_EXACT_NANOS = 10_000_000_000L;

  /**
   * Whose limits.
   *
   * @param id as in {@link LimitId}
   */
  public record Owner(LimitId.Kind kind, String id) {}

  public SharingTerms {
    said = Map.copyOf(said);
  }

  /** Returns how the limits of an owner are shared: as was said, else {@code otherwise}. */
  public Sharing of(Owner owner, Sharing otherwise) {
    Sharing own = said.get(owner);
    if (own != null || owner.kind() != LimitId.Kind.ENDPOINT) {
      return own == null ? otherwise : own;
    }
    // A path that nobody configured is an endpoint by the terms of the nearest one above it.
    String path = owner.id();
    while (path.length() > 1) {
      path = path.substring(0, Math.max(1, path.lastIndexOf('/')));
      Sharing above = said.get(new Owner(LimitId.Kind.ENDPOINT, path));
      if (above != null) {
        return above;
      }
    }
    return otherwise;
  }

  /**
   * Returns how a limit is shared. The parts of a minute over which Azure looks at its requests are
   * too short for slices: nobody configured them, so each instance watches them alone.
   */
  public Sharing of(LimitId id, Sharing otherwise) {
    Sharing sharing = of(new Owner(id.kind(), id.id()), otherwise);
    boolean part =
        id.kind() == LimitId.Kind.UPSTREAM
            && id.durationNanos() > 0
            && id.durationNanos() < SHORTEST_EXACT_NANOS;
    return part && sharing == Sharing.EXACT ? Sharing.LOCAL : sharing;
  }
}
