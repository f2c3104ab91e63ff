package io.penstock.chart;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An unpacked image in the format of {@code docker save}. */
final class ImageTar {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final JsonNode config;
  private final Path root;

  /** Unpacks the layers of an image over each other into a directory. */
  ImageTar(Path tar, Path directory) throws IOException, InterruptedException {
    Path parts = Files.createDirectories(directory.resolve("parts"));
    root = Files.createDirectories(directory.resolve("root"));
    unpack(tar, parts);
    JsonNode manifest = JSON.readTree(parts.resolve("manifest.json").toFile()).get(0);
    config = JSON.readTree(parts.resolve(manifest.path("Config").asText()).toFile());
    for (JsonNode layer : manifest.path("Layers")) {
      unpack(parts.resolve(layer.asText()), root);
    }
  }

  private static void unpack(Path tar, Path to) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                "tar", "--warning=no-unknown-keyword", "-xpf", tar.toString(), "-C", to.toString())
            .redirectErrorStream(true)
            .start();
    String message = new String(process.getInputStream().readAllBytes(), UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(tar + " cannot be unpacked: " + message);
    }
  }

  /** Returns the root directory of the image. */
  Path root() {
    return root;
  }

  /** Returns {@code /config} of the image's configuration. */
  JsonNode config() {
    return config.path("config");
  }

  /** Returns the command in front of arguments. */
  List<String> entrypoint() {
    List<String> command = new ArrayList<>();
    config().path("Entrypoint").forEach(each -> command.add(each.asText()));
    return command;
  }
}
