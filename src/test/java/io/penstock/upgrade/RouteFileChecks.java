package io.penstock.upgrade;

import io.penstock.cli.PenstockCommands;
import io.penstock.mock.MockAddress;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;

/** A program that writes beside each route file of a directory what {@code check} says of it. */
final class RouteFileChecks {
  private static final Map<String, String> ENVIRONMENT =
      Map.of("EMPTY", "", "NUMBER", "12", "TEXT", "some text", "SECRET", "sk-1");

  private RouteFileChecks() {}

  /** Takes the directory, and the ending of the files that are written. */
  public static void main(String[] arguments) throws IOException {
    for (Path file : files(Path.of(arguments[0]))) {
      Files.writeString(answer(file, arguments[1]), check(file));
    }
  }

  /** Returns the route files of a directory, in the order of their names. */
  static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }

  /** Returns the file in which the answer about a route file stands. */
  static Path answer(Path file, String ending) {
    return file.resolveSibling(file.getFileName() + ending);
  }

  private static String check(Path file) {
    StringWriter text = new StringWriter();
    CommandLine line = PenstockCommands.commandLine(ENVIRONMENT, MockAddress::parse);
    line.setOut(new PrintWriter(text));
    line.setErr(new PrintWriter(text));
    int exit = line.execute("check", "--print", "--routes", file.toString());
    return text + "exit " + exit + "\n";
  }
}
