package io.penstock.store;

import io.penstock.key.KeyStore;
import io.penstock.store.KeyStorageContract.Instance;
import io.penstock.usage.CachedInput;
import io.penstock.usage.SnapshotStore;
import io.penstock.usage.SnapshotStore.Snapshot;
import io.penstock.usage.UsageLedger;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;

/** A process that keeps state and keys on a small disk of its own, and prints the results. */
final class SmallDiskProcess {
  static final String BEGIN = "on a disk of its own";
  private static final int FEW = 10;
  private static final int MANY = 2_000;
  private static final byte[] BLOCK = new byte[4_096];

  private SmallDiskProcess() {}

  /** Uses the directory in the argument, where the disk is mounted. */
  public static void main(String[] arguments) throws Exception {
    Path disk = Path.of(arguments[0]);
    System.out.println(BEGIN);
    full(disk, "state.yaml");
    full(disk, "state.db");
    fullForKeys(disk);
    mount("remount,ro", disk);
    for (String name : List.of("state.yaml", "state.db")) {
      say(name, save(disk.resolve(name), 4, FEW));
      say(name, rows(disk.resolve(name)));
    }
    say("keys.db", added(disk, "c"));
    mount("remount,rw", disk);
    for (String name : List.of("state.yaml", "state.db")) {
      say(name, save(disk.resolve(name), 5, FEW));
      say(name, rows(disk.resolve(name)));
    }
    say("keys.db", added(disk, "c"));
  }

  private static void full(Path disk, String name) throws IOException {
    Path file = disk.resolve(name);
    try (SnapshotStore store = StateFiles.of(file)) {
      say(name, save(store, 1, FEW));
      Path filler = fill(disk);
      say(name, save(store, 2, MANY));
      say(name, rows(file));
      Files.delete(filler);
      say(name, save(store, 3, MANY));
      say(name, rows(file));
    }
  }

  private static void fullForKeys(Path disk) throws IOException {
    try (Instance instance =
        Instance.of(KeyStorage.open("file:" + disk.resolve("keys.db"), null))) {
      say("keys.db", added(instance, "a"));
      Path filler = fill(disk);
      say("keys.db", added(instance, "b"));
      Files.delete(filler);
      say("keys.db", added(instance, "b"));
    }
  }

  private static void say(String name, String what) {
    System.out.println(name + ": " + what);
  }

  private static Path fill(Path disk) throws IOException {
    Path filler = disk.resolve("filler");
    try (OutputStream out = Files.newOutputStream(filler)) {
      while (true) {
        out.write(BLOCK);
      }
    } catch (IOException full) {
      return filler;
    }
  }

  private static String save(Path file, int number, int rows) throws IOException {
    try (SnapshotStore store = StateFiles.of(file)) {
      return save(store, number, rows);
    }
  }

  private static String save(SnapshotStore store, int number, int rows) {
    List<UsageLedger.Row> usage = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      usage.add(
          new UsageLedger.Row(
              LocalDate.of(2026, 1, 1), "k" + row, "", "", number, 0, 0, CachedInput.NONE));
    }
    try {
      store.save(new Snapshot(Map.of(), Map.of(), usage));
      return "saved";
    } catch (IOException failed) {
      return String.valueOf(failed.getMessage());
    }
  }

  /** Returns the readable content of a file. */
  private static String rows(Path file) throws IOException {
    try (SnapshotStore store = StateFiles.of(file)) {
      List<UsageLedger.Row> usage = store.load().usage();
      return usage.size() + " rows of save " + usage.getFirst().requests();
    } catch (IOException failed) {
      return String.valueOf(failed.getMessage());
    }
  }

  private static String added(Path disk, String name) {
    try (Instance instance =
        Instance.of(KeyStorage.open("file:" + disk.resolve("keys.db"), null))) {
      return added(instance, name);
    } catch (UnusableStore failed) {
      return String.valueOf(failed.getMessage());
    }
  }

  /** Adds a key; returns the result and the keys known afterwards. */
  private static String added(Instance instance, String name) {
    String came;
    try {
      KeyStore.Change change =
          KeyStorageContract.done(instance.storage().add(KeyStorageContract.key(name, name)));
      came = change instanceof KeyStore.Done ? "done" : "not done";
    } catch (CompletionException failed) {
      came = Objects.requireNonNull(failed.getCause()).getMessage();
    }
    return came
        + "; known: "
        + String.join(" ", List.of("a", "b", "c").stream().filter(instance::knows).toList());
  }

  private static void mount(String how, Path disk) throws IOException, InterruptedException {
    int status =
        new ProcessBuilder("mount", "-o", how, disk.toString()).inheritIO().start().waitFor();
    System.out.println(how + " " + status);
  }
}
