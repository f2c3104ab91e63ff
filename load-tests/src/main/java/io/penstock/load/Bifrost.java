package io.penstock.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Bifrost's gateway, built by Go from its module. */
final class Bifrost {
  private static final Duration LONGEST_INSTALL = Duration.ofMinutes(10);
  private static final String MODULE = "github.com/maximhq/bifrost/transports/bifrost-http@latest";

  private Bifrost() {}

  /** Installs it below the directory, unless it is there; returns where. */
  static Path install(Path directory, Path go) throws IOException, InterruptedException {
    Path home = Files.createDirectories(directory.resolve("bifrost").toAbsolutePath());
    if (!Files.exists(program(home))) {
      List<String> command =
          List.of("env", "GOBIN=" + home.resolve("bin"), go.toString(), "install", MODULE);
      try (Child child = Child.start("bifrost-install", directory, command)) {
        child.await(LONGEST_INSTALL);
      }
    }
    return home;
  }

  private static Path program(Path home) {
    return home.resolve(Path.of("bin", "bifrost-http"));
  }

  static List<String> command(Path home, int port, int upstream) throws IOException {
    Files.writeString(
        home.resolve("config.json"),
        """
        {"providers": {"openai": {
          "keys": [{"name": "load", "value": "none", "models": ["gpt-4o-mini"], "weight": 1}],
          "network_config": {"base_url": "http://127.0.0.1:%d"}}}}
        """
            .formatted(upstream));
    return List.of(
        program(home).toString(),
        "-app-dir",
        home.toString(),
        "-host",
        "127.0.0.1",
        "-port",
        String.valueOf(port));
  }
}
