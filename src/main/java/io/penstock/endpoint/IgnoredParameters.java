package io.penstock.endpoint;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts of the requests that carried a short parameter to an endpoint that does not read it. Safe
 * from any thread.
 */
public final class IgnoredParameters {
  private final Map<ShortParameter, LongAdder> requests = new EnumMap<>(ShortParameter.class);
  private final AtomicBoolean reported = new AtomicBoolean();

  IgnoredParameters() {
    for (ShortParameter each : ShortParameter.values()) {
      requests.put(each, new LongAdder());
    }
  }

  private LongAdder requests(ShortParameter parameter) {
    return Objects.requireNonNull(requests.get(parameter));
  }

  /** Counts one request with these parameters. */
  void count(Set<ShortParameter> parameters) {
    parameters.forEach(parameter -> requests(parameter).increment());
  }

  /** Adds the counts of an endpoint at which nothing happens any more. */
  void add(IgnoredParameters others) {
    others.requests.forEach((parameter, count) -> requests(parameter).add(count.sum()));
  }

  /** Returns the number of requests by {@link ShortParameter#text}, without zeros. */
  public Map<String, Long> counts() {
    Map<String, Long> counts = new LinkedHashMap<>();
    requests.forEach(
        (parameter, count) -> {
          if (count.sum() > 0) {
            counts.put(parameter.text(), count.sum());
          }
        });
    return counts;
  }

  /** Returns true to the first caller, who is to report the parameters, and false to all others. */
  public boolean claimReport() {
    return !reported.get() && reported.compareAndSet(false, true);
  }
}
