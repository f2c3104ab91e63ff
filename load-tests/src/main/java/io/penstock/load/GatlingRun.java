package io.penstock.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A scenario that Gatling plays, in a process of its own; it writes its own report. */
final class GatlingRun implements Scenario {
  private final String name;
  private final String simulation;
  private final int minutes;

  /** Makes one of a simulation that runs for so many minutes unless another number was told. */
  GatlingRun(String name, String simulation, int minutes) {
    this.name = name;
    this.simulation = simulation;
    this.minutes = minutes;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Duration longest(Settings settings) {
    return Duration.ofMinutes(settings.minutes(minutes) + 10L);
  }

  @Override
  public Report run(Settings settings) throws IOException, InterruptedException {
    Path made = settings.made(name);
    Path report = settings.directory().resolve(name + ".json");
    Files.deleteIfExists(report);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "--add-opens=java.base/java.lang=ALL-UNNAMED"));
    command.add("-Dpenstock.jar=" + settings.jar());
    command.add("-Ddirectory=" + settings.directory());
    command.add("-Dminutes=" + settings.minutes(minutes));
    // who waits for a budget waits longer than Gatling's minute
    command.add("-Dgatling.http.requestTimeout=600000");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of("io.gatling.app.Gatling", "--simulation", simulation));
    command.addAll(List.of("--no-reports", "--results-folder", made.toString()));
    try (Child child = Child.start("gatling", made, command)) {
      // with a status of its own when requests failed; what it wrote says so
      child.awaitEnd(longest(settings));
      if (!Files.exists(report)) {
        throw new IOException("Gatling made no report: " + child.tail());
      }
    }
    return Report.parse(Files.readString(report));
  }
}
