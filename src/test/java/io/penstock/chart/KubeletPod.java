package io.penstock.chart;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.Penstock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;

/**
 * The program, started as the kubelet would start it: with arguments and variables of the chart.
 */
final class KubeletPod implements AutoCloseable {
  private final Queue<String> log = new ConcurrentLinkedQueue<>();
  private final Process process;
  private final Thread reader;

  /**
   * Starts the container of an object with pods.
   *
   * @param all all objects, including the referenced Secrets
   * @param here converts arguments and variables for this machine, which has other ports and paths
   */
  KubeletPod(KubernetesObject owner, List<KubernetesObject> all, UnaryOperator<String> here)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                Penstock.class.getName()));
    KubernetesObject.each(owner.container().path("args"))
        .forEach(each -> command.add(here.apply(each.asText())));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    variables(owner, all)
        .forEach((name, value) -> builder.environment().put(name, here.apply(value)));
    process = builder.start();
    reader = Thread.ofVirtual().start(() -> process.inputReader(UTF_8).lines().forEach(log::add));
  }

  private static Map<String, String> variables(KubernetesObject owner, List<KubernetesObject> all) {
    Map<String, String> variables = new HashMap<>();
    for (JsonNode from : KubernetesObject.each(owner.container().path("envFrom"))) {
      KubernetesObject secret =
          KubernetesObject.only(all, "Secret", from.at("/secretRef/name").asText());
      secret
          .at("/data")
          .properties()
          .forEach(each -> variables.put(each.getKey(), decoded(each.getValue())));
    }
    for (JsonNode variable : KubernetesObject.each(owner.container().path("env"))) {
      JsonNode reference = variable.at("/valueFrom/secretKeyRef");
      variables.put(
          variable.path("name").asText(),
          reference.isMissingNode()
              ? variable.path("value").asText()
              : decoded(
                  KubernetesObject.only(all, "Secret", reference.path("name").asText())
                      .at("/data")
                      .path(reference.path("key").asText())));
    }
    return variables;
  }

  private static String decoded(JsonNode base64) {
    return new String(Base64.getDecoder().decode(base64.asText()), UTF_8);
  }

  /**
   * Mounts a ConfigMap as the kubelet does: files are links into {@code ..data}, which is a link
   * that is swapped as a whole.
   *
   * @param version the name of the new directory
   */
  static void mount(KubernetesObject configMap, Path directory, String version) throws IOException {
    Path data = Files.createDirectories(directory.resolve(version));
    for (Map.Entry<String, JsonNode> each : configMap.at("/data").properties()) {
      Files.writeString(data.resolve(each.getKey()), each.getValue().asText());
      Path link = directory.resolve(each.getKey());
      if (!Files.isSymbolicLink(link)) {
        Files.createSymbolicLink(link, Path.of("..data", each.getKey()));
      }
    }
    Path next = Files.createSymbolicLink(directory.resolve("..data_tmp"), Path.of(version));
    Files.move(next, directory.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
  }

  boolean runs() {
    return process.isAlive();
  }

  String log() {
    return String.join("\n", log);
  }

  /** Asks the process to terminate, as the kubelet does. */
  void terminate() {
    process.toHandle().destroy(); // the process itself would close its output, too
  }

  /** Waits until it has ended and its log is complete; returns the exit code. */
  int exitCode() throws InterruptedException {
    reader.join();
    return process.waitFor();
  }

  @Override
  public void close() {
    process.toHandle().destroyForcibly();
  }
}
