package io.penstock.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An installation in a directory that is made once and then used again, also by other virtual
 * machines. A mark, which is written last, tells what was installed; without it, an installation
 * was interrupted and is made again. Safe from any thread and from any process.
 *
 * @param home the directory, which exists
 * @param mark the file in it that tells what was installed
 */
public record CachedInstallation(Path home, String mark) {
  /**
   * A virtual machine holds the lock of a file as a whole, so its threads need one of their own.
   */
  private static final Map<Path, ReentrantLock> LOCKS = new ConcurrentHashMap<>();

  /** Installs what is wanted, unless exactly that was completely installed before. */
  public void ensure(String wanted, Runnable install) throws IOException {
    ReentrantLock threads = LOCKS.computeIfAbsent(home.toRealPath(), _ -> new ReentrantLock());
    threads.lock();
    try (FileChannel file = FileChannel.open(home.resolve("install.lock"), CREATE, WRITE);
        FileLock _ = file.lock()) {
      Path marked = home.resolve(mark);
      if (Files.exists(marked) && Files.readString(marked, UTF_8).equals(wanted)) {
        return;
      }
      Files.deleteIfExists(marked);
      install.run();
      Path unfinished = home.resolve("install.unfinished");
      Files.writeString(unfinished, wanted, UTF_8);
      Files.move(unfinished, marked, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      threads.unlock();
    }
  }
}
