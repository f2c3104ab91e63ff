package io.penstock.dispatch;

import io.penstock.pool.UpstreamSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Picks one upstream for all requests that have something in common. When an upstream comes or
 * goes, only the requests that go to it move. Source: weighted rendezvous hashing (Thaler and
 * Ravishankar, "A Name-Based Mapping Scheme for Rendezvous", 1996; weights by −w ÷ ln h).
 */
public final class RendezvousHash {
  private RendezvousHash() {}

  /**
   * Returns the id of the upstream for all requests with {@code common}; null when there is no
   * upstream.
   */
  public static @Nullable String choose(String common, List<UpstreamSpec> upstreams) {
    String chosen = null;
    double best = 0;
    for (UpstreamSpec each : upstreams) {
      double score = score(hash(common), each);
      if (chosen == null || score > best) {
        chosen = each.id();
        best = score;
      }
    }
    return chosen;
  }

  /**
   * Returns the score of an upstream for the value {@code common}; the highest score wins. Over all
   * values, each upstream wins in proportion to its weight.
   */
  static double score(long common, UpstreamSpec upstream) {
    return -upstream.weight() / Math.log(share(common ^ hash(upstream.id())));
  }

  /** Returns the 64-bit FNV-1a hash. */
  private static long hash(String text) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
    }
    return hash;
  }

  /**
   * Returns a number in (0, 1); each of its bits depends on every bit of {@code mixed}. Source: the
   * finalizer of MurmurHash3.
   */
  private static double share(long mixed) {
    long bits = mixed;
    bits = (bits ^ (bits >>> 33)) * 0xff51afd7ed558ccdL;
    bits = (bits ^ (bits >>> 33)) * 0xc4ceb9fe1a85ec53L;
    bits ^= bits >>> 33;
    return ((bits >>> 11) + 0.5) / (1L << 53);
  }
}
