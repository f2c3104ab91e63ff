package io.penstock.config;

import io.penstock.config.shape.SourceFile;
import io.penstock.config.shape.SourcePlace;
import io.penstock.config.shape.VariableExpansion;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Reads route files. Keeps no state between loads; safe to call from several threads; blocks on
 * file access.
 */
public final class RouteFiles {
  private final VariableExpansion variableExpansion;
  private final Consumer<URI> addressCheck;
  private final boolean coordination;

  /**
   * Creates a reader.
   *
   * @param environment values for {@code ${NAME}}
   * @param addressCheck checks the {@code mock} addresses of upstreams; throws
   *     IllegalArgumentException with a message that says what is wrong and what was expected
   */
  public RouteFiles(Map<String, String> environment, Consumer<URI> addressCheck) {
    this(new VariableExpansion(environment), addressCheck, false);
  }

  private RouteFiles(
      VariableExpansion variableExpansion, Consumer<URI> addressCheck, boolean coordination) {
    this.variableExpansion = variableExpansion;
    this.addressCheck = addressCheck;
    this.coordination = coordination;
  }

  /** Returns a reader that reports endpoints that cover the coordination API as faults. */
  public RouteFiles withCoordination() {
    return new RouteFiles(variableExpansion, addressCheck, true);
  }

  /**
   * Reads the file, or the {@code *.yaml} and {@code *.yml} of the directory in name order. Never
   * throws because of their content: errors become faults.
   */
  public LoadedConfiguration load(Path directoryOrFile) {
    FaultCollector faultCollector = new FaultCollector();
    ConfigurationDraft draft = new ConfigurationDraft(faultCollector, coordination);
    switch (RouteListing.of(directoryOrFile)) {
      case RouteListing.Nothing(String problem) ->
          faultCollector.add(SourcePlace.startOf(directoryOrFile.toString()), problem);
      case RouteListing.Found found -> {
        found.files().forEach(file -> read(file, faultCollector, draft));
        finish(found.files().getFirst().toString(), faultCollector, draft);
      }
    }
    return loaded(faultCollector, draft);
  }

  /** Reads the content of one route file; {@code name} is the file that faults name. */
  public LoadedConfiguration load(String name, byte[] content) {
    FaultCollector faultCollector = new FaultCollector();
    ConfigurationDraft draft = new ConfigurationDraft(faultCollector, coordination);
    read(name, content, draft);
    finish(name, faultCollector, draft);
    return loaded(faultCollector, draft);
  }

  private static void finish(
      String firstFile, FaultCollector faultCollector, ConfigurationDraft draft) {
    draft.addRoot();
    draft.check();
    if (faultCollector.none() && draft.empty()) {
      faultCollector.add(
          SourcePlace.startOf(firstFile),
          "no endpoint is configured, expected at least one in endpoints");
    }
  }

  private static LoadedConfiguration loaded(
      FaultCollector faultCollector, ConfigurationDraft draft) {
    return faultCollector.none()
        ? new LoadedConfiguration.Good(draft.finish())
        : new LoadedConfiguration.Bad(faultCollector.sorted());
  }

  private void read(Path file, FaultCollector faultCollector, ConfigurationDraft draft) {
    if (faultCollector.full()) {
      return;
    }
    String name = file.toString();
    byte[] bytes;
    try {
      bytes = RouteListing.read(file);
    } catch (IOException e) {
      faultCollector.add(SourcePlace.startOf(name), RouteListing.problem(e));
      return;
    }
    read(name, bytes, draft);
  }

  private void read(String name, byte[] bytes, ConfigurationDraft draft) {
    SourceFile source =
        new SourceFile(name, variableExpansion, addressCheck, draft, UnknownKeys::describe, false);
    new RouteFile(source, draft).read(bytes);
  }
}
