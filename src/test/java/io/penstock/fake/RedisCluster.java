package io.penstock.fake;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** A real Redis cluster: masters that share the slots evenly, and their replicas. */
public final class RedisCluster implements AutoCloseable {
  private static final int SLOTS = 16_384;

  private final List<RedisServer> masters = new ArrayList<>();
  private final List<RedisServer> nodes = new ArrayList<>();
  private final String[] settings;

  private RedisCluster(int size, String... settings) {
    this.settings = settings;
    for (int i = 0; i < size; i++) {
      masters.add(node());
    }
    for (int i = 0; i < size; i++) {
      List<String> words = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
      for (int slot = i * SLOTS / size; slot < (i + 1) * SLOTS / size; slot++) {
        words.add(String.valueOf(slot));
      }
      done(masters.get(i), words.toArray(String[]::new));
    }
    awaitAgreement();
  }

  /**
   * Starts a cluster without replicas.
   *
   * @param settings settings of each node, in addition to a node timeout of one second
   */
  public static RedisCluster started(int masters, String... settings) {
    return new RedisCluster(masters, settings);
  }

  private RedisServer node() {
    List<String> all = new ArrayList<>(List.of("cluster-node-timeout 1000"));
    all.addAll(List.of(settings));
    RedisServer node = RedisServer.node(all.toArray(String[]::new));
    if (!nodes.isEmpty()) {
      done(node, "CLUSTER", "MEET", "127.0.0.1", port(nodes.getFirst()));
    }
    nodes.add(node);
    return node;
  }

  private static String port(RedisServer node) {
    return String.valueOf(node.port());
  }

  private static void done(RedisServer node, String... words) {
    String answer = node.command(words);
    if (!answer.equals("+OK")) {
      throw new IllegalStateException(words[1] + ": Redis answers " + answer + ", expected +OK");
    }
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

  private void awaitAgreement() {
    for (RedisServer node : nodes) {
      await(
          "a cluster in order",
          () -> {
            String info = node.command("CLUSTER", "INFO");
            return info.contains("cluster_state:ok")
                && info.contains("cluster_slots_ok:" + SLOTS)
                && info.contains("cluster_known_nodes:" + nodes.size());
          });
    }
  }

  /** Returns its address, without a user. */
  public String url() {
    return masters.stream()
        .map(master -> "127.0.0.1:" + master.port())
        .collect(Collectors.joining(",", "redis-cluster://", ""));
  }

  /** Returns the initial masters. */
  public List<RedisServer> masters() {
    return List.copyOf(masters);
  }

  /** Returns the initial master that had the slot of a key at the start. */
  public RedisServer ownerOf(String key) {
    return masters.get((int) (slot(key) * (long) masters.size() / SLOTS));
  }

  private int slot(String key) {
    return Integer.parseInt(nodes.getLast().command("CLUSTER", "KEYSLOT", key).substring(1));
  }

  /** Adds a replica of a master, and waits until it has that master's data. */
  public RedisServer replicate(RedisServer master) {
    RedisServer replica = node();
    String id = master.command("CLUSTER", "MYID");
    await(
        "a replica that knows its master",
        () -> replica.command("CLUSTER", "REPLICATE", id).equals("+OK"));
    await(
        "a replica in step",
        () -> replica.command("INFO", "replication").contains("master_link_status:up"));
    awaitAgreement();
    return replica;
  }

  /** Begins to move the slot of a key, and the key: clients that ask for it are redirected once. */
  public void beginMove(String key, RedisServer from, RedisServer to) {
    String slot = String.valueOf(slot(key));
    done(to, "CLUSTER", "SETSLOT", slot, "IMPORTING", from.command("CLUSTER", "MYID"));
    done(from, "CLUSTER", "SETSLOT", slot, "MIGRATING", to.command("CLUSTER", "MYID"));
    done(from, "MIGRATE", "127.0.0.1", port(to), key, "0", "5000");
  }

  /** Moves all other keys of the slot, and completes the move. */
  public void endMove(String key, RedisServer from, RedisServer to) {
    String slot = String.valueOf(slot(key));
    String next = "return redis.call('CLUSTER', 'GETKEYSINSLOT', ARGV[1], 1)[1] or ''";
    for (String each = from.command("EVAL", next, "0", slot);
        !each.isEmpty();
        each = from.command("EVAL", next, "0", slot)) {
      done(from, "MIGRATE", "127.0.0.1", port(to), each, "0", "5000");
    }
    endMove(key, to);
  }

  /** Completes the move: the slot now belongs to the other node. */
  public void endMove(String key, RedisServer to) {
    String slot = String.valueOf(slot(key));
    String id = to.command("CLUSTER", "MYID");
    done(to, "CLUSTER", "SETSLOT", slot, "NODE", id);
    nodes.stream()
        .filter(node -> node != to)
        .forEach(node -> done(node, "CLUSTER", "SETSLOT", slot, "NODE", id));
  }

  @Override
  public void close() {
    nodes.forEach(RedisServer::close);
  }
}
