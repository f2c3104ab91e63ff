package io.penstock.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** LiteLLM's proxy, from the Python package index, in an environment of its own. */
final class LiteLlm {
  private static final Duration LONGEST_INSTALL = Duration.ofMinutes(5);

  private LiteLlm() {}

  /** Installs it below the directory, unless it is there; returns where. */
  static Path install(Path directory, Path python) throws IOException, InterruptedException {
    Path home = directory.resolve("litellm").toAbsolutePath();
    if (Files.exists(program(home))) {
      return home;
    }
    run("litellm-venv", directory, List.of(python.toString(), "-m", "venv", home.toString()));
    run(
        "litellm-install",
        directory,
        List.of(
            home.resolve(Path.of("bin", "pip")).toString(),
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--retries=0",
            "litellm[proxy]"));
    return home;
  }

  private static void run(String name, Path directory, List<String> command)
      throws IOException, InterruptedException {
    try (Child child = Child.start(name, directory, command)) {
      child.await(LONGEST_INSTALL);
    }
  }

  private static Path program(Path home) {
    return home.resolve(Path.of("bin", "litellm"));
  }

  static List<String> command(Path home, int port, int upstream) throws IOException {
    Path file =
        Files.writeString(
            home.resolve("load.yaml"),
            """
            model_list:
              - model_name: gpt-4o-mini
                litellm_params:
                  model: openai/gpt-4o-mini
                  api_base: http://127.0.0.1:%d/v1
                  api_key: none
            """
                .formatted(upstream));
    return List.of(
        program(home).toString(),
        "--config",
        file.toString(),
        "--host",
        "127.0.0.1",
        "--port",
        String.valueOf(port),
        "--telemetry",
        "False");
  }
}
