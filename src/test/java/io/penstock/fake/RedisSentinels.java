package io.penstock.fake;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** A real master, its replica, and three sentinels that promote the replica if the master dies. */
public final class RedisSentinels implements AutoCloseable {
  /** The sentinels' name for the master. */
  public static final String NAME = "main";

  private static final int SENTINELS = 3;

  private final RedisServer first;
  private final RedisServer second;
  private final List<RedisServer> sentinels = new ArrayList<>();

  private RedisSentinels(List<String> ofServers, List<String> ofSentinels, String... auth) {
    List<String> lines = new ArrayList<>(ofServers);
    first = RedisServer.started(lines.toArray(String[]::new)).login(auth);
    lines.add("replicaof 127.0.0.1 " + first.port());
    second = RedisServer.started(lines.toArray(String[]::new)).login(auth);
    await(
        "a replica in step",
        () -> second.command("INFO", "replication").contains("master_link_status:up"));
    List<String> watching = new ArrayList<>();
    watching.add("sentinel monitor " + NAME + " 127.0.0.1 " + first.port() + " 2");
    watching.add("sentinel down-after-milliseconds " + NAME + " 500");
    watching.add("sentinel failover-timeout " + NAME + " 3000");
    watching.addAll(ofSentinels);
    for (int i = 0; i < SENTINELS; i++) {
      sentinels.add(RedisServer.sentinel(watching.toArray(String[]::new)).login(auth));
    }
    for (RedisServer sentinel : sentinels) {
      await(
          "sentinels that know each other",
          () ->
              sentinel
                  .command("INFO", "sentinel")
                  .contains(",slaves=1,sentinels=" + sentinels.size()));
    }
  }

  /** Starts all. */
  public static RedisSentinels started() {
    return new RedisSentinels(List.of(), List.of());
  }

  /** Starts all, each with a password. */
  public static RedisSentinels guarded(String password) {
    return new RedisSentinels(
        List.of("requirepass " + password, "masterauth " + password),
        List.of("requirepass " + password, "sentinel auth-pass " + NAME + " " + password),
        "AUTH",
        password);
  }

  private static void await(String what, BooleanSupplier condition) {
    for (int tries = 0; tries < 12_000; tries++) {
      if (condition.getAsBoolean()) {
        return;
      }
      LockSupport.parkNanos(20_000_000);
    }
    throw new IllegalStateException("never came: " + what);
  }

  /** Returns its address, without a user. */
  public String url() {
    return sentinels.stream()
        .map(sentinel -> "127.0.0.1:" + sentinel.port())
        .collect(Collectors.joining(",", "redis-sentinel://", "#" + NAME));
  }

  /** Returns the initial master. */
  public RedisServer first() {
    return first;
  }

  /** Returns the initial replica. */
  public RedisServer second() {
    return second;
  }

  /** Returns the sentinels. */
  public List<RedisServer> sentinels() {
    return List.copyOf(sentinels);
  }

  @Override
  public void close() {
    sentinels.forEach(RedisServer::close);
    second.close();
    first.close();
  }
}
