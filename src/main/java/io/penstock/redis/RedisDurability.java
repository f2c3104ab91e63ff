package io.penstock.redis;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks once whether Redis may forget what was spent of limits: because it evicts keys when its
 * memory is full, or because it has replicas, one of which may take its place without its last
 * writes. Logs one warning about each. Thread-safe.
 */
public final class RedisDurability {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.redis");
  private static final LuaScript SCRIPT = LuaScript.read("durability.lua");
  private static final String NONE = "noeviction";

  private final Set<String> asked = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean evicts = new AtomicBoolean();
  private final AtomicBoolean writesAlone = new AtomicBoolean();

  /**
   * Asks the master of a key, unless it was asked before; ignores a master that does not answer.
   *
   * @return completes when the check is done; nothing else may be sent until then
   */
  public CompletionStage<?> look(RedisLink link, String key) {
    if (!asked.add(key)) {
      return CompletableFuture.completedStage(null);
    }
    return link.ask(SCRIPT, key).thenAccept(this::read).exceptionally(unknown -> null);
  }

  private void read(List<String> words) {
    String policy = words.getFirst();
    if (!policy.isEmpty() && !policy.equals(NONE) && evicts.compareAndSet(false, true)) {
      LOG.warn(
          "shared limits: Redis has maxmemory-policy {}, expected {}:"
              + " what was spent of a limit may be forgotten, and spent again",
          policy,
          NONE);
    }
    boolean isAlone = words.get(1).equals("1");
    if (isAlone && writesAlone.compareAndSet(false, true)) {
      LOG.warn(
          "shared limits: Redis has replicas, and min-replicas-to-write 0, expected 1:"
              + " while it is cut off from them, it gives what another master gives, too");
    }
  }
}
