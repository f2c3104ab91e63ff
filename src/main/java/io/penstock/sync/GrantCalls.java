package io.penstock.sync;

import io.penstock.quota.Supply;
import org.jspecify.annotations.Nullable;

/** How what a member has to say of one limit becomes a call of a script, and its reply a grant. */
interface GrantCalls {
  /**
   * Puts what a member says into a call.
   *
   * @param key under which the limit is kept
   */
  RedisLink.Call call(String key, String member, long number, Supply.Ask ask);

  /**
   * Reads a reply.
   *
   * @return what was granted, or null for nothing
   * @throws IllegalArgumentException when the reply is not one of the script's
   */
  Supply.@Nullable Grant grant(Supply.Ask ask, @Nullable Object said);
}
