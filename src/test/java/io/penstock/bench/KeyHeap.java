package io.penstock.bench;

import io.penstock.key.KeyRegistry;
import io.penstock.key.KeySecrets;
import io.penstock.key.KeySpec;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.store.KeyStorage;
import io.penstock.time.Ticker;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * Prints the heap size of an idle key that was read from a store. Every key has a limit of its own,
 * so that nothing can be shared.
 */
final class KeyHeap {
  private KeyHeap() {}

  /** Measures the keys in the file given as the only argument, as {@link #write} creates it. */
  public static void main(String[] arguments) {
    KeyStorage storage = KeyStorage.open("file:" + arguments[0], null);
    KeyRegistry keyRegistry = new KeyRegistry(new LocalLimitSource(), 60_000_000_000L);
    storage.follow(keyRegistry, Ticker.system());
    storage.close();
    long with = usedBytes();
    if (keyRegistry.find("customer-" + (KeyBenchmark.KEYS - 1)) == null) {
      throw new IllegalStateException("a key is missing");
    }
    // The difference without the keys is their size, because neither classes nor buffers change
    // meanwhile.
    keyRegistry.stored(List.of(), 0);
    System.out.println((with - usedBytes()) / KeyBenchmark.KEYS);
  }

  /** Creates a store with {@link KeyBenchmark#KEYS} keys. */
  static void write(Path file) throws SQLException {
    KeyStorage.open("file:" + file, null).close();
    try (Connection open = DriverManager.getConnection("jdbc:sqlite:" + file)) {
      open.setAutoCommit(false);
      try (PreparedStatement insert =
          open.prepareStatement(
              "INSERT INTO penstock_keys (name, identity, created_at, sha256, terms)"
                  + " VALUES (?, ?, 0, ?, ?)")) {
        for (int number = 0; number < KeyBenchmark.KEYS; number++) {
          KeySpec key = KeyBenchmark.key(number, KeySecrets.make());
          insert.setString(1, key.name());
          insert.setString(2, key.name());
          insert.setString(3, key.secrets().getFirst().sha256());
          insert.setString(4, "{\"rpm\":" + (number + 1) + "}");
          insert.executeUpdate();
        }
      }
      open.commit();
    }
  }

  private static long usedBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
