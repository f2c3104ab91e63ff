package io.penstock.k8s;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files of the image, as they lie in it: a Java runtime, the program, and an AOT cache that was
 * made by that runtime from a run of that program. Run from source, with the JDK it is run with.
 */
final class ImageTree {
  /** Where the program is. */
  static final String HOME = "/opt/penstock";

  /** Flags and class path; what follows is arguments of the program. */
  static final String OPTIONS = HOME + "/java.options";

  /** What the program was seen to need; what these need comes along. */
  private static final List<String> MODULES =
      List.of(
          "java.desktop", // Spring: beans
          "java.instrument",
          "java.management",
          "java.naming",
          "java.net.http", // traces
          "java.security.jgss", // MariaDB
          "java.sql",
          "jdk.jcmd", // for people: jcmd 1 Thread.print
          "jdk.jfr",
          "jdk.management",
          "jdk.naming.dns",
          "jdk.net",
          "jdk.unsupported",
          "jdk.zipfs");

  private static final int CLASSES_FROM_CACHE_PERCENT = 90;

  private final Path root;
  private final Path home;
  private final List<String> flags;

  /** Something did not do what it should; the message is what a person is shown. */
  static final class Failed extends Exception {
    private static final long serialVersionUID = 1L;

    Failed(String message) {
      super(message);
    }
  }

  /**
   * Names what is to be made.
   *
   * @param root the directory that is {@code /} in the image
   * @param flags of the JVM, as the program is always run with
   */
  ImageTree(Path root, List<String> flags) {
    this.root = root.toAbsolutePath();
    this.home = this.root.resolve(HOME.substring(1));
    this.flags = List.copyOf(flags);
  }

  /** The arguments are the jar, the directory to make, the time of all files, and JVM flags. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    try {
      List<String> flags = Stream.of(arguments).skip(3).toList();
      Instant time = Instant.parse(arguments[2]);
      new ImageTree(Path.of(arguments[1]), flags).make(Path.of(arguments[0]), time);
    } catch (Failed failed) {
      System.err.println("The image's files were not made: " + failed.getMessage());
      System.exit(1);
    }
  }

  /** Makes all of it anew. */
  void make(Path jar, Instant time) throws IOException, InterruptedException, Failed {
    if (Files.exists(root) && !Files.exists(home)) {
      throw new Failed(root + " is there already, and is no image: it would be deleted");
    }
    delete(root);
    Files.createDirectories(home);
    extract(jar);
    link();
    routes();
    Files.writeString(home.resolve("java.options"), String.join("\n", options(HOME)) + "\n");
    // before it is used: the cache is only good for jars of the time that was seen
    touch(time);
    Path work = Files.createTempDirectory(root.getParent(), "training");
    try {
      train(work);
      check(work);
    } finally {
      delete(work);
    }
    touch(time);
  }

  /** Returns what makes the program run as in the image, from wherever the directory is. */
  List<String> command() {
    List<String> command = new ArrayList<>(List.of(java()));
    command.addAll(options(home.toString()));
    return command;
  }

  private String java() {
    return home.resolve("jre/bin/java").toString();
  }

  private List<String> options(String directory) {
    List<String> options = new ArrayList<>(flags);
    options.addFirst("-XX:AOTCache=" + directory + "/penstock.aot");
    options.addAll(List.of("-jar", directory + "/penstock.jar"));
    return options;
  }

  private void extract(Path jar) throws IOException, InterruptedException, Failed {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    run(
        java,
        "-Djarmode=tools",
        "-jar",
        jar.toString(),
        "extract",
        "--force",
        "--destination",
        "" + home);
    Files.move(
        home.resolve(jar.getFileName()),
        home.resolve("penstock.jar"),
        StandardCopyOption.REPLACE_EXISTING);
  }

  private void link() throws IOException, InterruptedException, Failed {
    run(
        Path.of(System.getProperty("java.home"), "bin", "jlink").toString(),
        "--add-modules",
        String.join(",", MODULES),
        "--no-header-files",
        "--no-man-pages",
        "--output",
        home.resolve("jre").toString());
    // as files: not everything that packs images knows links
    for (Path each : all(home)) {
      if (Files.isSymbolicLink(each)) {
        Path target = each.toRealPath();
        Files.delete(each);
        Files.copy(target, each);
      }
    }
  }

  private void routes() throws IOException {
    Path to = Files.createDirectories(root.resolve("etc/penstock/routes"));
    try (Stream<Path> files = Files.list(Path.of("routes"))) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  private void train(Path work) throws IOException, InterruptedException, Failed {
    Path seen = work.resolve("penstock.aotconf");
    serve(work, List.of("-XX:AOTMode=record", "-XX:AOTConfiguration=" + seen));
    Path cache = home.resolve("penstock.aot");
    List<String> create = new ArrayList<>(List.of(java(), "-XX:AOTMode=create"));
    create.add("-XX:AOTConfiguration=" + seen);
    // the objects in it can be used by other collectors; only this one writes them
    create.add("-XX:+UseG1GC");
    create.addAll(options(home.toString()));
    run(create.toArray(String[]::new));
    if (!Files.exists(cache)) {
      throw new Failed("there is no AOT cache after the training run");
    }
  }

  /** Starts once as the image does, but so that a cache that cannot be used is an error. */
  private void check(Path work) throws IOException, InterruptedException, Failed {
    Path loaded = work.resolve("loaded.log");
    serve(work, List.of("-XX:AOTMode=on", "-Xlog:class+load:file=" + loaded));
    List<String> classes = Files.readAllLines(loaded);
    long cached = classes.stream().filter(line -> line.contains("shared objects file")).count();
    long percent = 100 * cached / Math.max(1, classes.size());
    System.out.printf("of %,d classes %d %% came from the AOT cache%n", classes.size(), percent);
    if (percent < CLASSES_FROM_CACHE_PERCENT) {
      throw new Failed("only %d %% of the classes came from the AOT cache".formatted(percent));
    }
  }

  /** Runs the gateway once, with some requests. */
  private void serve(Path work, List<String> more)
      throws IOException, InterruptedException, Failed {
    List<String> command = new ArrayList<>(List.of(java()));
    command.addAll(more);
    boolean records = more.contains("-XX:AOTMode=record");
    command.addAll(
        options(home.toString()).stream()
            .filter(option -> !(records && option.startsWith("-XX:AOTCache=")))
            .toList());
    try (TrainingRun run = new TrainingRun(command, work)) {
      run.ask();
      run.end();
    } catch (TrainingRun.Failed failed) {
      throw new Failed(failed.getMessage());
    }
  }

  private static void run(String... command) throws IOException, InterruptedException, Failed {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    if (process.waitFor() != 0) {
      throw new Failed(String.join(" ", command) + " said:\n" + said);
    }
  }

  private void touch(Instant time) throws IOException {
    for (Path each : all(root)) {
      Files.setLastModifiedTime(each, FileTime.from(time));
    }
  }

  /** Returns a directory and what is in it, the deepest first. */
  private static List<Path> all(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.sorted(Comparator.reverseOrder()).toList();
    }
  }

  private static void delete(Path directory) throws IOException {
    if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    for (Path each : all(directory)) {
      Files.delete(each);
    }
  }
}
