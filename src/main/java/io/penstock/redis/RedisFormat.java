package io.penstock.redis;

import io.penstock.redis.RedisLink.Call;
import io.penstock.redis.RedisLink.Reply;
import io.penstock.redis.RedisTrouble.Kind;
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
    return link.call(List.of(new Call(SCRIPT, key, List.of(field, own))))
        .thenApply(replies -> value(replies.getFirst()));
  }

  private static String value(Reply reply) {
    if (reply.trouble() != null) {
      throw reply.trouble();
    }
    if (reply.content() instanceof List<?> said && said.size() == 1) {
      return String.valueOf(said.getFirst());
    }
    throw new RedisTrouble(Kind.ODD);
  }
}
