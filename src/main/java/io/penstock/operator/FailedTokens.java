package io.penstock.operator;

import io.penstock.tenant.SharedState;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts wrong tokens by source network. After ten wrong tokens within a minute of the first, the
 * source is shut out until the minute is over. The number of sources is bounded; when it is
 * reached, all further sources share one count. Safe from any thread.
 */
final class FailedTokens {
  /** Wrong tokens within a minute after which a source is shut out. */
  static final int MOST = 10;

  /** Number of sources that are counted separately. */
  static final int MOST_PLACES = 4_096;

  private static final long MINUTE_NANOS = 60_000_000_000L;
  private static final String OTHERS = "others";

  /** An owner of one IPv6 address usually owns all addresses with the same first half. */
  private static final int NETWORK_BYTES = 8;

  private static final class Minute {
    private final long endsNanos;
    private int failures;

    Minute(long endsNanos) {
      this.endsNanos = endsNanos;
    }
  }

  @SharedState("wrong operator tokens")
  private final LinkedHashMap<String, Minute> oldestFirst = new LinkedHashMap<>();

  /**
   * Returns for how many nanoseconds requests from an address are still refused; 0 if they are not.
   */
  synchronized long shutNanos(@Nullable InetAddress address, long now) {
    Minute minute = oldestFirst.get(place(address));
    if (minute == null && oldestFirst.size() >= MOST_PLACES) {
      minute = oldestFirst.get(OTHERS);
    }
    return minute == null || minute.failures < MOST ? 0 : Math.max(0, minute.endsNanos - now);
  }

  /** Counts a wrong token; returns whether it is the last that is examined in this minute. */
  synchronized boolean failed(@Nullable InetAddress address, long now) {
    Iterator<Minute> oldest = oldestFirst.values().iterator();
    while (oldest.hasNext() && oldest.next().endsNanos <= now) {
      oldest.remove();
    }
    String place = place(address);
    boolean separate = oldestFirst.containsKey(place) || oldestFirst.size() < MOST_PLACES;
    Minute minute =
        oldestFirst.computeIfAbsent(
            separate ? place : OTHERS, absent -> new Minute(now + MINUTE_NANOS));
    minute.failures = Math.min(MOST, minute.failures) + 1;
    return minute.failures == MOST;
  }

  /** Returns the number of sources that are remembered. */
  synchronized int size() {
    return oldestFirst.size();
  }

  private static String place(@Nullable InetAddress address) {
    if (address == null) {
      return "unknown";
    }
    byte[] bytes = address.getAddress();
    return HexFormat.of()
        .formatHex(address instanceof Inet6Address ? Arrays.copyOf(bytes, NETWORK_BYTES) : bytes);
  }
}
