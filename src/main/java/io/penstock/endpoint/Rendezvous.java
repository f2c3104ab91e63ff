package io.penstock.endpoint;

import io.penstock.pool.UpstreamSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which upstream serves all requests that have something in common. When one comes or goes, only
 * what went there goes elsewhere. Source: weighted rendezvous hashing (Thaler and Ravishankar, "A
 * Name-Based Mapping Scheme for Rendezvous", 1996; weights by −w ÷ ln h).
 */
final class Rendezvous {
  private Rendezvous() {}

  /**
   * Returns the id of the upstream of all requests with {@code common}; null when there is none.
   */
  static @Nullable String choose(String common, List<UpstreamSpec> upstreams) {
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
   * Returns how good an upstream is for what {@code common} stands for: of several, each is the
   * best for a share of all numbers as large as its weight.
   */
  static double score(long common, UpstreamSpec upstream) {
    return -upstream.weight() / Math.log(share(common ^ hash(upstream.id())));
  }

  /** FNV-1a, 64 bits. */
  private static long hash(String text) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
    }
    return hash;
  }

  /**
   * A number in (0, 1) of which every bit hangs on every bit of {@code mixed}: MurmurHash3's end.
   */
  private static double share(long mixed) {
    long bits = mixed;
    bits = (bits ^ (bits >>> 33)) * 0xff51afd7ed558ccdL;
    bits = (bits ^ (bits >>> 33)) * 0xc4ceb9fe1a85ec53L;
    bits ^= bits >>> 33;
    return ((bits >>> 11) + 0.5) / (1L << 53);
  }
}
