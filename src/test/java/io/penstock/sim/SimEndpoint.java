package io.penstock.sim;

import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.Quota;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One endpoint from its start to its removal, as the oracle sees it. */
final class SimEndpoint {
  final Endpoint endpoint;
  final Quota quota;
  final TreeMap<Long, SimTicket> waiting = new TreeMap<>();
  final List<SimTicket> left = new ArrayList<>();
  final Map<SimTicket.Stage, long[]> sums = new EnumMap<>(SimTicket.Stage.class);
  EndpointSpec spec;
  boolean paused;
  boolean removed;
  @Nullable OracleLimit own;

  SimEndpoint(Endpoint endpoint, EndpointSpec spec, long now) {
    this.endpoint = endpoint;
    this.spec = spec;
    this.quota = quotaOf(endpoint);
    this.own = limitOf(spec, now);
    for (SimTicket.Stage stage : SimTicket.Stage.values()) {
      sums.put(stage, new long[3]);
    }
  }

  /** The endpoint's own quota is nobody's business but its own and a sceptic's. */
  private static Quota quotaOf(Endpoint endpoint) {
    try {
      Field field = Endpoint.class.getDeclaredField("own");
      field.setAccessible(true);
      return (Quota) field.get(endpoint);
    } catch (ReflectiveOperationException gone) {
      throw new IllegalStateException("an endpoint keeps its own quota elsewhere now", gone);
    }
  }

  private static @Nullable OracleLimit limitOf(EndpointSpec spec, long now) {
    return spec.limit() instanceof LimitSpec.Unlimited ? null : OracleLimit.of(spec.limit(), now);
  }

  void reconfigure(EndpointSpec next, long now) {
    OracleLimit before = own;
    if (before != null && before.spec().getClass() == next.limit().getClass()) {
      if (!before.spec().equals(next.limit())) {
        before.resize(next.limit(), now);
      }
    } else {
      own = limitOf(next, now);
    }
    spec = next;
  }

  void count(SimTicket.Stage stage, SimTicket ticket, int sign) {
    long[] sum = sums.get(stage);
    sum[0] += sign;
    sum[1] += sign * ticket.cost.totalTokens();
    sum[2] += sign * ticket.bytes;
  }

  long[] sum(SimTicket.Stage stage) {
    return sums.get(stage);
  }
}
