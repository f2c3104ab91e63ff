package io.penstock.chart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.clients.PythonScripts;
import io.penstock.suite.TaggedTests;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Validates the chart's objects against the schemas of an old and a new Kubernetes. */
@Tag(TaggedTests.FULL)
class KubernetesValidateIT {
  private static final List<String> VERSIONS = List.of("1.31", "1.34");

  /** Extensions of Kubernetes, which {@link KubernetesSchemas} knows. */
  private static final Set<String> EXTENSIONS =
      Set.of("HTTPRoute", "PrometheusRule", "ScaledObject", "ServiceMonitor");

  @TempDir static Path directory;

  private static HelmChart helmChart;
  private static PythonScripts python;

  private record Ended(int status, List<String> lines) {}

  @BeforeAll
  static void install() throws IOException {
    helmChart = new HelmChart(directory, "{}");
    python =
        PythonScripts.installed(
            Path.of("src", "test", "kubernetes"), Path.of("target", "kubernetes"));
  }

  @Test
  void objects_ofEachSwitchAndEachValueThatPeopleBring_areValid() throws Exception {
    Set<String> objects = new TreeSet<>();
    for (String each : ChartSwitches.names()) {
      helmChart.render(ChartSwitches.values("none", each)).forEach(o -> objects.add(text(o)));
    }
    for (BroughtValues.Brought each : BroughtValues.ALL) {
      helmChart.render(each.values()).forEach(o -> objects.add(text(o)));
    }
    Ended ended = validated(objects);
    assertThat(ended.status()).as(String.join("\n", ended.lines())).isZero();
    long known =
        objects.stream()
            .map(object -> HelmChart.yaml(object).path("kind").asText())
            .filter(kind -> !EXTENSIONS.contains(kind))
            .count();
    for (String version : VERSIONS) {
      assertThat(ended.lines().stream().filter(line -> line.endsWith("against version " + version)))
          .hasSize((int) known)
          .hasSizeGreaterThan(100)
          .allMatch(line -> line.startsWith("INFO "));
    }
  }

  private static String text(KubernetesObject object) {
    return object.root().toString();
  }

  @Test
  void objectWithAFault_isFoundInEachVersion() throws Exception {
    JsonNode deployment =
        KubernetesObject.only(helmChart.render(""), "Deployment", "penstock").root();
    ((ObjectNode) deployment.at("/spec")).put("replicas", "two");
    Ended ended = validated(List.of(deployment.toString()));
    assertThat(ended.status()).isEqualTo(1);
    assertThat(ended.lines()).hasSize(VERSIONS.size()).allMatch(line -> line.contains("'two'"));
  }

  private static Ended validated(Collection<String> objects) throws Exception {
    Path file = Files.createTempFile(directory, "objects", ".yaml");
    Files.writeString(file, String.join("\n---\n", objects));
    List<String> command = new ArrayList<>(List.of(python.program("kubernetes-validate")));
    VERSIONS.forEach(version -> command.add("--kubernetes-version=" + version));
    command.addAll(List.of("--strict", file.toString()));
    return run(new ProcessBuilder(command));
  }

  private static Ended run(ProcessBuilder builder) throws Exception {
    Process process = builder.redirectErrorStream(true).start();
    List<String> lines = process.inputReader(UTF_8).lines().toList();
    return new Ended(process.waitFor(), lines);
  }

  /** Returns the class path for another directory. */
  private static String classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Runs the script with Helm as a library. */
  @Test
  void commandsOfThePage_rehearsed_makeValidObjects() throws Exception {
    try {
      run(new ProcessBuilder("kubectl", "version", "--client"));
    } catch (IOException missing) {
      System.out.println("The page is not rehearsed: " + missing.getMessage());
      Assumptions.abort("no kubectl in PATH");
    }
    Path programs = Files.createDirectory(directory.resolve("programs"));
    Path helm = programs.resolve("helm");
    Files.writeString(
        helm,
        "#!/bin/sh\nexec '%s' --enable-native-access=ALL-UNNAMED -cp '%s' %s \"$@\"\n"
            .formatted(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                classPath(),
                HelmCommand.class.getName()));
    assertThat(helm.toFile().setExecutable(true)).isTrue();
    List<String> command =
        Stream.concat(
                Stream.of(Path.of("k8s", "rehearse").toAbsolutePath().toString()),
                VERSIONS.stream())
            .toList();
    ProcessBuilder builder = new ProcessBuilder(command);
    builder
        .environment()
        .merge(
            "PATH",
            programs + ":" + Path.of(python.program("python")).getParent(),
            (path, ours) -> ours + ":" + path);
    Ended ended = run(builder);
    String output = String.join("\n", ended.lines());
    assertThat(ended.status()).as(output).isZero();
    for (String version : VERSIONS) {
      Set<String> passed =
          ended.lines().stream()
              .filter(line -> line.endsWith(" against version " + version))
              .map(
                  line ->
                      line.replaceFirst("INFO \\./(\\w+)-\\d+\\.yaml passed.* resource ", "$1 "))
              .map(line -> line.replace(" against version " + version, ""))
              .collect(Collectors.toSet());
      assertThat(passed)
          .as(output)
          .contains(
              "kubectl namespace/llm", "kubectl secret/provider-keys", "kubectl secret/operator")
          .contains("helm deployment/penstock", "helm statefulset/penstock-redis")
          .contains("helm secret/penstock-first-key");
    }
  }
}
