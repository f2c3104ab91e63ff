package io.penstock.chart;

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
import java.util.Map;
import java.util.stream.Stream;

/**
 * Builds the files of the image in their places: a Java runtime, the program, and an AOT cache
 * created by that runtime from a run of that program. Run from source, with the JDK to be used.
 */
final class ImageTree {
  /** Directory of the program. */
  static final String HOME = "/opt/penstock";

  /** The command, which is also the entry point of the image. */
  static final String COMMAND = HOME + "/penstock";

  /** Modules that the program was found to need; those that they depend on are added. */
  private static final List<String> MODULES =
      List.of(
          "java.desktop", // Spring: beans
          "java.instrument",
          "java.management",
          "java.naming",
          "java.net.http", // traces
          "java.security.jgss", // MariaDB
          "java.sql",
          "jdk.jcmd", // for operators: jcmd 1 Thread.print
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

  /** Thrown if a step failed; the message is shown to the user. */
  static final class Failed extends Exception {
    private static final long serialVersionUID = 1L;

    Failed(String message) {
      super(message);
    }
  }

  /**
   * Creates a builder.
   *
   * @param root the root directory of the image
   * @param flags flags of the JVM with which the program always runs
   */
  ImageTree(Path root, List<String> flags) {
    this.root = root.toAbsolutePath();
    this.home = this.root.resolve(HOME.substring(1));
    this.flags = List.copyOf(flags);
  }

  /**
   * Builds the files; the arguments are the jar, the command, the target directory, the time of all
   * files, and JVM flags.
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    try {
      List<String> flags = Stream.of(arguments).skip(4).toList();
      Instant time = Instant.parse(arguments[3]);
      new ImageTree(Path.of(arguments[2]), flags)
          .make(Path.of(arguments[0]), Path.of(arguments[1]), time);
    } catch (Failed failed) {
      System.err.println("The image's files were not made: " + failed.getMessage());
      System.exit(1);
    }
  }

  /** Builds everything anew. */
  void make(Path jar, Path command, Instant time) throws IOException, InterruptedException, Failed {
    if (Files.exists(root) && !Files.exists(home)) {
      throw new Failed(root + " is there already, and is no image: it would be deleted");
    }
    delete(root);
    Files.createDirectories(home);
    extract(jar);
    Files.copy(command, home.resolve("penstock"), StandardCopyOption.COPY_ATTRIBUTES);
    for (String each : List.of("LICENSE", "src/main/resources/META-INF/NOTICE")) {
      Path file = Path.of(each);
      Files.copy(file, home.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
    }
    link();
    routes();
    Files.writeString(home.resolve("java.options"), String.join("\n", options(HOME)) + "\n");
    // first, because the cache is only valid for jars with the recorded time
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
    // as files, because not every tool that packs images supports links
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
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  private void train(Path work) throws IOException, InterruptedException, Failed {
    Path seen = work.resolve("penstock.aotconf");
    List<String> recording = new ArrayList<>(List.of(java()));
    recording.addAll(List.of("-XX:AOTMode=record", "-XX:AOTConfiguration=" + seen));
    recording.addAll(
        options(home.toString()).stream()
            .filter(option -> !option.startsWith("-XX:AOTCache="))
            .toList());
    serve(recording, "", work);
    Path cache = home.resolve("penstock.aot");
    List<String> create = new ArrayList<>(List.of(java(), "-XX:AOTMode=create"));
    create.add("-XX:AOTConfiguration=" + seen);
    // other collectors can use its objects, but only this one writes them
    create.add("-XX:+UseG1GC");
    create.addAll(options(home.toString()));
    run(create.toArray(String[]::new));
    if (!Files.exists(cache)) {
      throw new Failed("there is no AOT cache after the training run");
    }
  }

  /**
   * Starts the program once as the image does, by its command, with a flag that makes an unusable
   * cache an error.
   */
  private void check(Path work) throws IOException, InterruptedException, Failed {
    Path loaded = work.resolve("loaded.log");
    // the command separates flags by spaces, so the log is named relative to the working directory
    String flagsOfCheck = "-XX:AOTMode=on -Xlog:class+load:file=" + loaded.getFileName();
    serve(List.of(home.resolve("penstock").toString()), flagsOfCheck, work);
    List<String> classes = Files.readAllLines(loaded);
    long cached = classes.stream().filter(line -> line.contains("shared objects file")).count();
    long percent = 100 * cached / Math.max(1, classes.size());
    System.out.printf("of %,d classes %d %% came from the AOT cache%n", classes.size(), percent);
    if (percent < CLASSES_FROM_CACHE_PERCENT) {
      throw new Failed("only %d %% of the classes came from the AOT cache".formatted(percent));
    }
  }

  /** Runs the gateway once, with some requests and with {@code JAVA_OPTS} in its environment. */
  private static void serve(List<String> command, String javaOpts, Path work)
      throws IOException, InterruptedException, Failed {
    try (TrainingRun run = new TrainingRun(command, Map.of("JAVA_OPTS", javaOpts), work)) {
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

  /** Returns a directory and its content, the deepest first. */
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
