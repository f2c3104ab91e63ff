package io.penstock.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Portkey's gateway, from npm; with these two of its dependencies pinned its streams work. */
final class Portkey {
  private static final Duration LONGEST_INSTALL = Duration.ofMinutes(3);

  private static final String PACKAGES =
      """
      {
        "private": true,
        "dependencies": {
          "@portkey-ai/gateway": "1.15.2",
          "hono": "4.9.7",
          "@hono/node-server": "1.13.7"
        },
        "overrides": {
          "hono": "$hono",
          "@hono/node-server": "$@hono/node-server"
        }
      }
      """;

  private Portkey() {}

  /** Installs it below the directory, unless it is there; returns where. */
  static Path install(Path directory, Path npm) throws IOException, InterruptedException {
    Path home = Files.createDirectories(directory.resolve("portkey").toAbsolutePath());
    if (Files.exists(server(home))) {
      return home;
    }
    Files.writeString(home.resolve("package.json"), PACKAGES);
    List<String> command =
        List.of(npm.toString(), "install", "--no-audit", "--no-fund", "--no-package-lock");
    try (Child child = Child.start("portkey-install", directory, home, command)) {
      child.await(LONGEST_INSTALL);
    }
    return home;
  }

  private static Path server(Path home) {
    return home.resolve(
        Path.of("node_modules", "@portkey-ai", "gateway", "build", "start-server.js"));
  }

  static List<String> command(Path home, Path node, int port) {
    return List.of(node.toString(), server(home).toString(), "--port=" + port, "--headless");
  }

  /** Returns what tells it where to send a request. */
  static String headers(int upstream) {
    return "x-portkey-provider: openai\r\nx-portkey-custom-host: http://127.0.0.1:"
        + upstream
        + "/v1\r\n";
  }
}
