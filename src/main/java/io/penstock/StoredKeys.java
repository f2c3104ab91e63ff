package io.penstock;

import io.penstock.store.KeyStorage;
import io.penstock.store.Unusable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.Environment;

/**
 * Keys that are kept outside route files, where {@code penstock.keys.store} says so. The store is
 * opened before anything else is made, so that a start it fails leaves nothing behind.
 */
final class StoredKeys {
  private StoredKeys() {}

  static void open(ConfigurableApplicationContext context) {
    Environment environment = context.getEnvironment();
    String store = environment.getProperty("penstock.keys.store", "");
    if (store.isBlank()) {
      return;
    }
    try {
      KeyStorage storage =
          KeyStorage.open(store.strip(), environment.getProperty("penstock.database.url"));
      // A context closes only what it made itself.
      ((GenericApplicationContext) context)
          .registerBean("keyStorage", KeyStorage.class, () -> storage);
    } catch (Unusable unusable) {
      throw new CannotStart(String.valueOf(unusable.getMessage()));
    }
  }
}
