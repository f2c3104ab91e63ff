package io.penstock.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The format version of what instances share in a namespace of Redis. The first instance in the
 * namespace notes it there, for ever.
 */
public final class RedisFormat {
  /** The format that this version of the program reads and writes. */
  public static final String VERSION = "2";

  private static final LuaScript SCRIPT = LuaScript.read("first.lua");

  private RedisFormat() {}

  /**
   * Returns the format version of a namespace, and notes {@link #VERSION} if it has none.
   *
   * @return fails with {@link RedisTrouble} when Redis cannot tell
   */
  public static CompletionStage<String> of(String namespace, RedisLink link) {
    return first(link, namespace + ":format", "version", VERSION);
  }

  /**
   * Returns the value that the first instance noted in a field, and notes {@code own} if there is
   * none.
   *
   * @return fails with {@link RedisTrouble} when Redis cannot tell
   */
  static CompletionStage<String> first(RedisLink link, String key, String field, String own) {
    return link.ask(SCRIPT, key, field, own).thenApply(List::getFirst);
  }
}
