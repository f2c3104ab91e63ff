package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RouteWatcherTest {

  @TempDir Path root;

  /** Content of the routes at each reload, file after file. */
  private final BlockingQueue<String> reloads = new LinkedBlockingQueue<>();

  private Path routes = Path.of("");
  private @Nullable RouteWatcher watcher;

  @BeforeEach
  void makeRoutes() throws IOException {
    routes = Files.createDirectory(root.resolve("routes"));
    Files.writeString(routes.resolve("a.yaml"), "one");
  }

  @AfterEach
  void stop() throws IOException {
    if (watcher != null) {
      watcher.close();
    }
  }

  private void watch(Path path) throws IOException {
    watch(path, () -> reloads.add(content(path)));
  }

  private void watch(Path path, Runnable reload) throws IOException {
    watch(path, FilesFingerprint.of(path), reload);
  }

  private void watch(Path path, FilesFingerprint loaded, Runnable reload) throws IOException {
    RouteWatcher made =
        new RouteWatcher(
            path,
            loaded,
            () -> {
              reload.run();
              return new ConfigurationReloader.Result.Applied(1, List.of());
            });
    watcher = made;
    made.start();
  }

  private static String content(Path path) {
    StringBuilder all = new StringBuilder();
    if (RouteListing.of(path) instanceof RouteListing.Found(List<Path> files)) {
      for (Path file : files) {
        try {
          all.append(Files.readString(file)).append(';');
        } catch (IOException e) {
          all.append("?;");
        }
      }
    }
    return all.toString();
  }

  /** Waits for a reload of {@code expected}; a reload of a half-written file may precede it. */
  private void awaitReload(String expected) {
    PatientWaits.await("a reload of " + expected).until(() -> expected.equals(reloads.poll()));
  }

  @Test
  void file_editedInPlace_isReloaded() throws Exception {
    watch(routes);
    Files.writeString(routes.resolve("a.yaml"), "two");
    awaitReload("two;");
    Files.writeString(routes.resolve("a.yaml"), "three");
    awaitReload("three;");
  }

  @Test
  void file_editedBetweenTheLoadAndTheWatch_isReloaded() throws Exception {
    FilesFingerprint loaded = FilesFingerprint.of(routes);
    Files.writeString(routes.resolve("a.yaml"), "two");
    watch(routes, loaded, () -> reloads.add(content(routes)));
    awaitReload("two;");
  }

  @Test
  void file_renamedOver_isReloaded() throws Exception {
    watch(routes);
    Path next = Files.writeString(root.resolve("next"), "two");
    Files.move(next, routes.resolve("a.yaml"), StandardCopyOption.ATOMIC_MOVE);
    awaitReload("two;");
  }

  @Test
  void files_addedAndRemoved_areReloaded() throws Exception {
    watch(routes);
    Files.writeString(routes.resolve("b.yml"), "b");
    awaitReload("one;b;");
    Files.delete(routes.resolve("a.yaml"));
    awaitReload("b;");
  }

  @Test
  void content_writtenAgainUnchanged_isNotReloaded() throws Exception {
    watch(routes);
    // Renamed over, so that there is never a half-written file.
    Path same = Files.writeString(root.resolve("same"), "one");
    Files.move(same, routes.resolve("a.yaml"), StandardCopyOption.ATOMIC_MOVE);
    Files.writeString(routes.resolve("notes.txt"), "no route file");
    PatientWaits.await("a second without a reload")
        .during(Duration.ofSeconds(1))
        .until(reloads::isEmpty);

    Path other = Files.writeString(root.resolve("other"), "two");
    Files.move(other, routes.resolve("a.yaml"), StandardCopyOption.ATOMIC_MOVE);
    awaitReload("two;");
    assertThat(reloads).isEmpty();
  }

  @Test
  void configMap_symlinkSwapped_isReloaded() throws Exception {
    Path mount = Files.createDirectory(root.resolve("mount"));
    Path first = Files.createDirectory(mount.resolve("..2025_01"));
    Files.writeString(first.resolve("a.yaml"), "one");
    Files.createSymbolicLink(mount.resolve("..data"), Path.of("..2025_01"));
    Files.createSymbolicLink(mount.resolve("a.yaml"), Path.of("..data", "a.yaml"));
    watch(mount);

    for (String next : List.of("two", "three")) {
      Path version = Files.createDirectory(mount.resolve("..2025_" + next));
      Files.writeString(version.resolve("a.yaml"), next);
      Path swap = Files.createSymbolicLink(mount.resolve("..data_tmp"), version.getFileName());
      Files.move(swap, mount.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
      awaitReload(next + ";");
    }
  }

  @Test
  void singleFileOfAConfigMap_symlinkSwapped_isReloaded() throws Exception {
    Path mount = Files.createDirectory(root.resolve("mount"));
    Files.writeString(Files.createDirectory(mount.resolve("..1")).resolve("a.yaml"), "one");
    Files.writeString(Files.createDirectory(mount.resolve("..2")).resolve("a.yaml"), "two");
    Files.createSymbolicLink(mount.resolve("..data"), Path.of("..1"));
    Files.createSymbolicLink(mount.resolve("a.yaml"), Path.of("..data", "a.yaml"));
    watch(mount.resolve("a.yaml"));

    Path swap = Files.createSymbolicLink(mount.resolve("..data_tmp"), Path.of("..2"));
    Files.move(swap, mount.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    awaitReload("two;");
  }

  @Test
  void directory_thatIsASwappedSymlink_isReloadedAndWatchedOn() throws Exception {
    Path other = Files.createDirectory(root.resolve("other"));
    Files.writeString(other.resolve("a.yaml"), "two");
    Path link = Files.createSymbolicLink(root.resolve("current"), routes);
    watch(link);

    Path swap = Files.createSymbolicLink(root.resolve("next"), other);
    Files.move(swap, link, StandardCopyOption.ATOMIC_MOVE);
    awaitReload("two;");
    Files.writeString(other.resolve("a.yaml"), "three");
    awaitReload("three;");
  }

  @Test
  void target_ofALinkedFile_editedElsewhere_isReloaded() throws Exception {
    Path elsewhere = Files.createDirectory(root.resolve("elsewhere"));
    Path target = Files.writeString(elsewhere.resolve("real.yaml"), "linked");
    Files.createSymbolicLink(routes.resolve("b.yaml"), target);
    watch(routes);
    Files.writeString(target, "edited");
    awaitReload("one;edited;");
  }

  @Test
  void directory_removedAndMadeAgain_isReloadedEachTime() throws Exception {
    watch(routes);
    Files.delete(routes.resolve("a.yaml"));
    Files.delete(routes);
    awaitReload("");
    Path again = Files.createDirectory(root.resolve("again"));
    Files.writeString(again.resolve("a.yaml"), "back");
    Files.move(again, routes, StandardCopyOption.ATOMIC_MOVE);
    awaitReload("back;");
    Files.writeString(routes.resolve("a.yaml"), "more");
    awaitReload("more;");
  }

  @Test
  void change_betweenMakingAndStarting_isReloaded() throws Exception {
    RouteWatcher made =
        new RouteWatcher(
            routes,
            FilesFingerprint.of(routes),
            () -> {
              reloads.add(content(routes));
              return new ConfigurationReloader.Result.Applied(1, List.of());
            });
    watcher = made;
    Files.writeString(routes.resolve("a.yaml"), "two");
    assertThat(reloads).isEmpty();
    made.start();
    awaitReload("two;");
  }

  @Test
  void reloader_thatThrows_isCalledAgainForTheNextChange() throws Exception {
    watch(
        routes,
        () -> {
          reloads.add(content(routes));
          throw new IllegalStateException("this is only a test");
        });
    Files.writeString(routes.resolve("a.yaml"), "two");
    awaitReload("two;");
    Files.writeString(routes.resolve("a.yaml"), "three");
    awaitReload("three;");
  }

  @Test
  void close_whileWatching_endsTheThread() throws Exception {
    watch(routes);
    RouteWatcher made = Objects.requireNonNull(watcher);
    made.close();
    assertThat(made.join(PatientWaits.LONGEST)).as("whether the thread ended").isTrue();
  }
}
