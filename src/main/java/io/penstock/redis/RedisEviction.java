package io.penstock.redis;

import io.penstock.redis.RedisLink.Call;
import io.penstock.redis.RedisLink.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks once whether Redis evicts keys when its memory is full, since it may then forget spending,
 * and logs a warning once. Thread-safe.
 */
public final class RedisEviction {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.redis");
  private static final LuaScript SCRIPT = LuaScript.read("eviction.lua");
  private static final String NONE = "noeviction";

  private final AtomicBoolean asked = new AtomicBoolean();
  private final AtomicBoolean warned = new AtomicBoolean();

  /**
   * Asks all masters, unless they were asked before; ignores masters that do not answer.
   *
   * @param prefix of a key that each master has
   * @return completes when the check is done; nothing else may be sent until then
   */
  public CompletionStage<?> look(RedisLink link, String prefix) {
    if (!asked.compareAndSet(false, true)) {
      return CompletableFuture.completedStage(null);
    }
    return link.call(List.of(), prefix, key -> new Call(SCRIPT, key, List.of(), true))
        .thenAccept(replies -> replies.forEach(this::read))
        .exceptionally(unknown -> null);
  }

  private void read(Reply reply) {
    if (reply.content() instanceof List<?> words && !words.isEmpty()) {
      String policy = String.valueOf(words.getFirst());
      if (!policy.isEmpty() && !policy.equals(NONE) && warned.compareAndSet(false, true)) {
        LOG.warn(
            "shared limits: Redis has maxmemory-policy {}, expected {}:"
                + " what was spent of a limit may be forgotten, and spent again",
            policy,
            NONE);
      }
    }
  }

  /** Returns whether a warning was logged. */
  public boolean warned() {
    return warned.get();
  }
}
