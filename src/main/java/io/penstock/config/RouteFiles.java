package io.penstock.config;

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
  private final Variables variables;
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
    this(new Variables(environment), addressCheck, false);
  }

  private RouteFiles(Variables variables, Consumer<URI> addressCheck, boolean coordination) {
    this.variables = variables;
    this.addressCheck = addressCheck;
    this.coordination = coordination;
  }

  /** Returns a reader that reports endpoints that cover the coordination API as faults. */
  public RouteFiles withCoordination() {
    return new RouteFiles(variables, addressCheck, true);
  }

  /**
   * Reads the file, or the {@code *.yaml} and {@code *.yml} of the directory in name order. Never
   * throws because of their content: errors become faults.
   */
  public Loaded load(Path directoryOrFile) {
    Faults faults = new Faults();
    Draft draft = new Draft(faults, coordination);
    switch (RouteListing.of(directoryOrFile)) {
      case RouteListing.Nothing(String problem) ->
          faults.add(Place.startOf(directoryOrFile.toString()), problem);
      case RouteListing.Found found -> {
        found.files().forEach(file -> read(file, faults, draft));
        draft.addRoot();
        draft.check();
        if (faults.none() && draft.empty()) {
          faults.add(
              Place.startOf(found.files().getFirst().toString()),
              "no endpoint is configured, expected at least one in endpoints");
        }
      }
    }
    return faults.none() ? new Loaded.Good(draft.finish()) : new Loaded.Bad(faults.sorted());
  }

  private void read(Path file, Faults faults, Draft draft) {
    if (faults.full()) {
      return;
    }
    String name = file.toString();
    byte[] bytes;
    try {
      bytes = RouteListing.read(file);
    } catch (IOException e) {
      faults.add(Place.startOf(name), RouteListing.problem(e));
      return;
    }
    new RouteFile(new Source(name, variables, addressCheck, draft, false)).read(bytes);
  }
}
