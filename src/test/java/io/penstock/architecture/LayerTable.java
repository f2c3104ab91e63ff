package io.penstock.architecture;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The table of packages ("rooms"): their level in the architecture, and the packages that each may
 * import.
 */
final class LayerTable {
  /** The root package, which wires the others and is imported by none. */
  static final String ROOF = "io.penstock";

  /** Packages of the test tree without a counterpart in the program. */
  static final List<String> TEST_ONLY =
      List.of("house", "fake", "sim", "bench", "k8s", "suite", "upgrade");

  static final List<Room> ROOMS =
      List.of(
          new Room(0, "time", rooms()),
          new Room(0, "refusal", rooms("time")),
          new Room(0, "event", rooms("time", "cost", "refusal")),
          new Room(0, "cost", rooms("time")),
          new Room(0, "limit", rooms("time", "cost", "refusal")),
          new Room(0, "queue", rooms("time", "cost", "refusal")),
          new Room(1, "quota", floorsTo(0)),
          new Room(1, "key", floorsTo(0).or(rooms("quota"))),
          new Room(1, "pool", floorsTo(0).or(rooms("quota"))),
          new Room(1, "endpoint", floorsTo(0).or(rooms("quota", "pool"))),
          new Room(1, "coordination", floorsTo(0)),
          new Room(2, "park", floorsTo(1)),
          new Room(2, "json", floorsTo(0)),
          new Room(2, "tokenizer", floorsTo(0).or(rooms("json"))),
          new Room(2, "provider.request", floorsTo(1).or(rooms("json", "tokenizer"))),
          new Room(
              2, "provider.answer", floorsTo(1).or(rooms("json", "tokenizer", "provider.request"))),
          new Room(
              2,
              "provider",
              floorsTo(1).or(rooms("json", "tokenizer", "provider.request", "provider.answer"))),
          new Room(2, "mock", floorsTo(0).or(rooms("json"))),
          new Room(2, "config", floorsTo(1)),
          new Room(2, "sync", floorsTo(1)),
          new Room(2, "region", floorsTo(1)),
          new Room(2, "store", floorsTo(1)),
          new Room(2, "trace", floorsTo(1)),
          new Room(3, "wire", floorsTo(2)),
          new Room(3, "gateway.body", floorsTo(2).or(rooms("wire"))),
          new Room(3, "gateway", floorsTo(2).or(rooms("wire", "gateway.body"))),
          new Room(
              3, "gateway.coordination", floorsTo(2).or(rooms("wire", "gateway.body", "gateway"))),
          new Room(3, "operator", floorsTo(2)),
          new Room(3, "metrics", floorsTo(1)),
          new Room(3, "cli", rooms("config", "store")));

  /**
   * One row of the table.
   *
   * @param floor its level, 0 is the lowest; imports never go up
   * @param name the package below the root, including the packages it is in
   * @param imports the other rooms that it may import
   */
  record Room(int floor, String name, Predicate<Room> imports) {
    boolean mayImport(Room other) {
      return equals(other) || imports.test(other);
    }

    /** Returns whether the room is plain Java: no framework, no input or output, no logging. */
    boolean pure() {
      return floor <= 1;
    }
  }

  private LayerTable() {}

  /** Returns the room for exactly this package; a nested room has a row of its own. */
  static Optional<Room> room(String packageName) {
    return ROOMS.stream().filter(room -> packageName.equals(ROOF + "." + room.name())).findFirst();
  }

  /** Returns whether the package belongs to this program. */
  static boolean ours(String packageName) {
    return packageName.equals(ROOF) || packageName.startsWith(ROOF + ".");
  }

  /** Returns whether the package is a room or the root. */
  static boolean known(String packageName) {
    return packageName.equals(ROOF) || room(packageName).isPresent();
  }

  /** Returns whether code in one of our packages may import from another one. */
  static boolean mayImport(String from, String to) {
    if (from.equals(ROOF) || from.equals(to)) {
      return true;
    }
    Optional<Room> importing = room(from);
    Optional<Room> imported = room(to);
    return importing.isPresent()
        && imported.isPresent()
        && importing.get().mayImport(imported.get());
  }

  private static Predicate<Room> rooms(String... names) {
    return room -> Arrays.asList(names).contains(room.name());
  }

  private static Predicate<Room> floorsTo(int floor) {
    return room -> room.floor() <= floor;
  }
}
