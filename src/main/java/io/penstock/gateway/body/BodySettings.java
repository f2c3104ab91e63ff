package io.penstock.gateway.body;

import io.penstock.endpoint.EndpointSpec;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The settings of request bodies.
 *
 * @param mostBytes bytes that all bodies in memory may take together, ≥ 1
 * @param tenantShare the part of it that one tenant may have, above 0 and at most 1
 * @param timeout how long a client may pause, and over which time its rate is measured
 * @param minBytesPerSecond how fast it has to send a body; 0 sets no rate
 * @param deadline how long it may take to send a body that is read into memory
 */
public record BodySettings(
    long mostBytes,
    double tenantShare,
    Duration timeout,
    long minBytesPerSecond,
    Duration deadline) {
  private static final String MOST = "penstock.max-buffered-bytes";
  private static final String SHARE = "penstock.body.tenant-share";
  private static final String TIMEOUT = "penstock.body-timeout";
  private static final String RATE = "penstock.body.min-bytes-per-second";
  private static final String DEADLINE = "penstock.body.deadline";
  private static final String QUEUED = "max_queued_bytes";
  private static final int SHOWN = 5;

  public BodySettings {
    check(mostBytes >= 1, MOST, mostBytes, "at least 1 byte");
    check(tenantShare > 0 && tenantShare <= 1, SHARE, tenantShare, "above 0 and at most 1");
    check(timeout.isPositive(), TIMEOUT, timeout, "a time above 0");
    check(minBytesPerSecond >= 0, RATE, minBytesPerSecond, "0 or more");
    check(deadline.isPositive(), DEADLINE, deadline, "a time above 0");
  }

  private static void check(boolean good, String name, Object value, String expected) {
    if (!good) {
      throw new IllegalArgumentException(name + " is '" + value + "', expected " + expected);
    }
  }

  public BodyPace.Terms pace() {
    return new BodyPace.Terms(timeout.toNanos(), minBytesPerSecond, deadline.toNanos());
  }

  /** Returns warnings about endpoints that do not fit these settings, one line each. */
  public List<String> warnings(Collection<EndpointSpec> endpoints) {
    long bound = BodyBudget.mostParkedBytes(mostBytes);
    List<String> above =
        endpoints.stream()
            .filter(each -> each.entry().stated().contains(QUEUED))
            .filter(each -> each.waiting().bounds().maxBytes() > bound)
            .map(EndpointSpec::path)
            .toList();
    if (above.isEmpty()) {
      return List.of();
    }
    String some = above.stream().limit(SHOWN).collect(Collectors.joining(", "));
    return List.of(
        ("%s of %d endpoints (%s%s) is above %d, half of %s,"
                + " which is all that bodies may hold that wait in queues")
            .formatted(QUEUED, above.size(), some, above.size() > SHOWN ? ", …" : "", bound, MOST));
  }
}
