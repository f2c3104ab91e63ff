package io.penstock.redis;

import org.jspecify.annotations.Nullable;

/**
 * Place in Redis where instances keep what they share.
 *
 * @param address of Redis
 * @param trust certificates for checking the server; null for those of the platform
 * @param namespace prefix of all keys in Redis; keys with another prefix are not used
 */
public record RedisPlace(RedisAddress address, @Nullable RedisTrust trust, String namespace) {
  public RedisPlace {
    SharingSettings.checkNamespace(namespace);
  }
}
