package io.penstock.sharing;

import java.util.Map;

/**
 * Configured sharing modes of limits, by owner. Immutable.
 *
 * @param modes the mode by owner; that of an endpoint also applies to the endpoints below its path
 */
public record SharingTerms(Map<Owner, SharingMode> modes) {
  /** Nothing is configured. */
  public static final SharingTerms NONE = new SharingTerms(Map.of());

  /** The shortest trailing window that can be shared exactly. */
  public static final long SHORTEST_EXACT_NANOS = 10_000_000_000L;

  /**
   * Owner of limits.
   *
   * @param id as in {@link LimitId}
   */
  public record Owner(LimitId.Kind kind, String id) {}

  public SharingTerms {
    modes = Map.copyOf(modes);
  }

  /** Returns how the limits of an owner are shared: the configured mode, else {@code otherwise}. */
  public SharingMode of(Owner owner, SharingMode otherwise) {
    SharingMode own = modes.get(owner);
    if (own != null || owner.kind() != LimitId.Kind.ENDPOINT) {
      return own == null ? otherwise : own;
    }
    // An endpoint that is not configured has the terms of the nearest configured one above its
    // path.
    String path = owner.id();
    while (path.length() > 1) {
      path = path.substring(0, Math.max(1, path.lastIndexOf('/')));
      SharingMode above = modes.get(new Owner(LimitId.Kind.ENDPOINT, path));
      if (above != null) {
        return above;
      }
    }
    return otherwise;
  }

  /**
   * Returns how a limit is shared. Azure also checks its request limit over short parts of a
   * minute, which are too short for shares. These limits are not configured by anyone, so each
   * instance applies them alone.
   */
  public SharingMode of(LimitId id, SharingMode otherwise) {
    SharingMode sharingMode = of(new Owner(id.kind(), id.id()), otherwise);
    boolean part =
        id.kind() == LimitId.Kind.UPSTREAM
            && id.durationNanos() > 0
            && id.durationNanos() < SHORTEST_EXACT_NANOS;
    return part && sharingMode == SharingMode.EXACT ? SharingMode.LOCAL : sharingMode;
  }
}
