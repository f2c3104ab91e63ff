package io.penstock;

import io.penstock.redis.KeysClaim;
import io.penstock.redis.RedisLink;
import io.penstock.redis.SharingSettings;
import io.penstock.settings.CannotStart;
import io.penstock.settings.PenstockSettings;
import io.penstock.settings.SecretText;
import io.penstock.store.KeyStorage;
import io.penstock.store.UnusableStore;
import io.penstock.time.Ticker;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/**
 * Opens the store of keys outside route files that {@code penstock.keys.store} names. It is opened
 * before anything else is created, so that a start that fails because of it leaves nothing behind.
 */
final class StoredKeys {
  /**
   * Longest time for the first contact with Redis, which takes longer in a program that has just
   * started.
   */
  static final int FIRST_MILLIS = 3_000;

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.keys");

  private StoredKeys() {}

  static void open(
      ConfigurableApplicationContext context,
      PenstockSettings settings,
      @Nullable SharingSettings sync) {
    String store = settings.limits().keys().store();
    if (store == null) {
      return;
    }
    if (sync != null && store.startsWith("file:")) {
      claim(context, store, sync);
    }
    try {
      KeyStorage storage =
          KeyStorage.open(store, SecretText.textOf(settings.stores().database().url()));
      // A context closes only beans that it created itself.
      ((GenericApplicationContext) context)
          .registerBean("keyStorage", KeyStorage.class, () -> storage);
    } catch (UnusableStore unusable) {
      throw new CannotStart(String.valueOf(unusable.getMessage()));
    }
  }

  /**
   * Claims the right to keep keys in a file. Other instances do not see the file, so of the
   * instances that share limits only one may do that.
   */
  private static void claim(
      ConfigurableApplicationContext context, String store, SharingSettings sync) {
    String process = ManagementFactory.getRuntimeMXBean().getName();
    KeysClaim claim = new KeysClaim(sync.namespace(), LimitWiring.member(), process);
    try (RedisLink link =
        new RedisLink(sync.address(), sync.trust(), FIRST_MILLIS, Ticker.system())) {
      switch (claim.take(link).toCompletableFuture().join()) {
        case KeysClaim.Ours ours -> {}
        case KeysClaim.Theirs(String called) ->
            throw new CannotStart(
                "penstock.keys.store is %s, which other instances cannot see, and %s, with which"
                        .formatted(store, called)
                    + " this one would share limits, keeps keys of its own, too: keep keys in a"
                    + " database that all share, penstock.keys.store=sql with"
                    + " penstock.database.url, or in route files");
        case KeysClaim.Unknown(String why) ->
            LOG.warn(
                "penstock.keys.store is {}, and whether another instance keeps keys of its own,"
                    + " too, cannot be seen yet: {}",
                store,
                why);
      }
    }
    context.getBeanFactory().registerSingleton("keysClaim", claim);
  }
}
