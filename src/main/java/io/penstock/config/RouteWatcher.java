package io.penstock.config;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls a {@link ConfigurationReloader} when the content of the route files has changed: edited in
 * place, renamed over, or swapped through a symbolic link, as Kubernetes does with {@code ..data}.
 * Events that leave the content as it was cause no reload, and several events in quick succession
 * cause only one.
 *
 * <p>It begins with the fingerprint that the files had before they were loaded, so that no change
 * since then is missed. The reloader runs on the watcher's single daemon thread.
 */
public final class RouteWatcher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.config");

  /** A change is considered complete when nothing has happened for this long. */
  private static final long QUIET_MILLIS = 100;

  /** Number of events after which a directory that never becomes quiet is read anyway. */
  private static final int MOST_EVENTS = 20;

  private final Path routes;
  private final ConfigurationReloader configurationReloader;
  private final WatchService watch;
  private final Map<WatchKey, Entries> watched = new HashMap<>();
  private final Thread thread;
  private FilesFingerprint seen;

  /**
   * Starts to record changes.
   *
   * @param directoryOrFile the path that {@link RouteFiles#load} is given
   * @param loaded the fingerprint of the files, taken before the load of what runs now
   * @param configurationReloader called on the watcher's thread
   * @throws IOException if the file system cannot be watched
   */
  public RouteWatcher(
      Path directoryOrFile, FilesFingerprint loaded, ConfigurationReloader configurationReloader)
      throws IOException {
    this.routes = directoryOrFile.toAbsolutePath();
    this.configurationReloader = configurationReloader;
    this.watch = routes.getFileSystem().newWatchService();
    this.thread = Thread.ofPlatform().name("penstock-routes").daemon().unstarted(this::run);
    register();
    this.seen = loaded;
  }

  /** Starts to call the reloader, at once if the files have changed. May be called once. */
  public void start() {
    thread.start();
  }

  /** Stops; a running reload is not interrupted. */
  @Override
  public void close() throws IOException {
    watch.close();
  }

  /** Waits until the thread has ended after {@link #close}; returns whether it has. */
  boolean join(Duration longest) throws InterruptedException {
    return thread.join(longest);
  }

  private void run() {
    try {
      reloadIfChanged();
      while (true) {
        if (settle(watch.take())) {
          register();
          reloadIfChanged();
        }
      }
    } catch (ClosedWatchServiceException e) {
      LOG.debug("route files are no longer watched");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      LOG.warn("route files are no longer watched: the watcher was interrupted");
    }
  }

  /** Waits until no more events arrive; returns whether any of them may matter. */
  private boolean settle(WatchKey first) throws InterruptedException {
    boolean matters = drain(first);
    for (int events = 1; events < MOST_EVENTS; events++) {
      WatchKey next = watch.poll(QUIET_MILLIS, TimeUnit.MILLISECONDS);
      if (next == null) {
        return matters;
      }
      matters |= drain(next);
    }
    return matters;
  }

  private boolean drain(WatchKey key) {
    Entries entries = watched.get(key);
    boolean matters = false;
    for (WatchEvent<?> event : key.pollEvents()) {
      // An overflow has no context; it may stand for any change.
      matters |=
          entries != null && (event.context() == null || entries.hold(event.context().toString()));
    }
    // An invalid key belonged to a directory that no longer exists.
    return !key.reset() || matters;
  }

  private void reloadIfChanged() {
    FilesFingerprint now = FilesFingerprint.of(routes);
    if (now.equals(seen)) {
      return;
    }
    seen = now;
    try {
      configurationReloader.reload();
    } catch (RuntimeException e) {
      LOG.error("reload failed; the running configuration was kept", e);
    }
  }

  /**
   * Watches the directory, its entry in its own parent, and the real location of the files, because
   * a change of a link's target happens there. Existing watches continue without a gap.
   */
  private void register() {
    Set<WatchKey> before = new HashSet<>(watched.keySet());
    watched.clear();
    boolean directory = Files.isDirectory(routes);
    if (directory) {
      watch(routes, Entries.ALL);
    }
    Path parent = routes.getParent();
    if (parent != null) {
      watch(parent, directory ? Entries.of(routes) : Entries.ALL);
    }
    if (RouteListing.of(routes) instanceof RouteListing.Found found) {
      found.files().forEach(this::watchTarget);
    }
    before.removeAll(watched.keySet());
    before.forEach(WatchKey::cancel);
  }

  private void watchTarget(Path file) {
    if (Files.isSymbolicLink(file) && Files.exists(file)) {
      try {
        Path target = file.toRealPath();
        watch(target.resolveSibling("."), Entries.of(target));
      } catch (IOException e) {
        LOG.warn("cannot follow {} to watch it: {}", file, e.toString());
      }
    }
  }

  private void watch(Path directory, Entries entries) {
    try {
      WatchKey key =
          directory.register(
              watch,
              StandardWatchEventKinds.ENTRY_CREATE,
              StandardWatchEventKinds.ENTRY_MODIFY,
              StandardWatchEventKinds.ENTRY_DELETE);
      watched.merge(key, entries, Entries::and);
    } catch (IOException e) {
      LOG.warn("cannot watch {}: {}", directory, e.toString());
    }
  }

  /** The relevant entries of a directory. */
  private record Entries(boolean all, Set<String> names) {
    static final Entries ALL = new Entries(true, Set.of());

    static Entries of(Path entry) {
      return new Entries(false, Set.of(String.valueOf(entry.getFileName())));
    }

    boolean hold(String name) {
      return all || names.contains(name);
    }

    Entries and(Entries other) {
      Set<String> both = new HashSet<>(names);
      both.addAll(other.names);
      return new Entries(all || other.all, both);
    }
  }
}
