package io.penstock.operator;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts wrong tokens by where they came from. Ten within a minute of the first, and that place is
 * heard no more until the minute is over, right tokens included: who guesses must not learn that a
 * guess was right. Only so many places are told apart; while all of them are taken, the others
 * count as one. Safe from any thread.
 */
final class FailedTokens {
  /** How many wrong tokens of a minute are looked at. */
  static final int MOST = 10;

  /** How many places are told apart. */
  static final int MOST_PLACES = 4_096;

  private static final long MINUTE_NANOS = 60_000_000_000L;
  private static final String OTHERS = "others";

  /** Whoever has one address of a network has all that share its first half. */
  private static final int NETWORK_BYTES = 8;

  private static final class Minute {
    private final long endsNanos;
    private int failures;

    Minute(long endsNanos) {
      this.endsNanos = endsNanos;
    }
  }

  private final LinkedHashMap<String, Minute> oldestFirst = new LinkedHashMap<>();

  /** Returns how long nothing from an address is looked at any more; 0 when it is. */
  synchronized long shutNanos(@Nullable InetAddress address, long now) {
    Minute minute = oldestFirst.get(place(address));
    if (minute == null && oldestFirst.size() >= MOST_PLACES) {
      minute = oldestFirst.get(OTHERS);
    }
    return minute == null || minute.failures < MOST ? 0 : Math.max(0, minute.endsNanos - now);
  }

  /** Counts a wrong token; returns whether it was the last that was looked at. */
  synchronized boolean failed(@Nullable InetAddress address, long now) {
    Iterator<Minute> oldest = oldestFirst.values().iterator();
    while (oldest.hasNext() && oldest.next().endsNanos <= now) {
      oldest.remove();
    }
    String place = place(address);
    boolean apart = oldestFirst.containsKey(place) || oldestFirst.size() < MOST_PLACES;
    Minute minute =
        oldestFirst.computeIfAbsent(
            apart ? place : OTHERS, absent -> new Minute(now + MINUTE_NANOS));
    minute.failures = Math.min(MOST, minute.failures) + 1;
    return minute.failures == MOST;
  }

  /** Returns how many places are remembered. */
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
