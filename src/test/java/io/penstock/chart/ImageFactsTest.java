package io.penstock.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.config.LoadedConfiguration;
import io.penstock.config.RouteFiles;
import io.penstock.mock.MockAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** Checks that the images built by Docker and by Jib are the same, and agree with the chart. */
class ImageFactsTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The configuration of Jib. */
  private final Pom pom = new Pom();

  /** The last stage of the Dockerfile: arguments by instruction. */
  private final Map<String, List<String>> docker = dockerfile();

  private static final class Pom {
    private final Document document;
    private final XPath paths = XPathFactory.newInstance().newXPath();

    Pom() {
      try {
        document =
            DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(Path.of("pom.xml").toFile());
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    /** Returns elements below Jib's configuration: their names and texts, in order. */
    Map<String, String> below(String path) throws Exception {
      NodeList nodes =
          (NodeList)
              paths.evaluate(
                  "//plugin[artifactId='jib-maven-plugin']/configuration/" + path + "/*",
                  document,
                  XPathConstants.NODESET);
      Map<String, String> all = new LinkedHashMap<>();
      for (int each = 0; each < nodes.getLength(); each++) {
        Node node = nodes.item(each);
        String name = node.getNodeName();
        all.put(all.containsKey(name) ? name + each : name, resolved(node.getTextContent()));
      }
      return all;
    }

    String text(String path) throws Exception {
      return resolved(
          paths.evaluate(
              "//plugin[artifactId='jib-maven-plugin']/configuration/" + path, document));
    }

    /** Replaces properties, and references to the project itself. */
    private String resolved(String text) {
      return Pattern.compile("\\$\\{([^}]+)\\}")
          .matcher(text)
          .replaceAll(found -> Matcher.quoteReplacement(value(found.group(1))));
    }

    private String value(String property) {
      try {
        String said = paths.evaluate("(//properties/*[name()='" + property + "'])[1]", document);
        return said.isEmpty() && property.startsWith("project.")
            ? paths.evaluate("/project/" + property.substring(8), document)
            : said;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static Map<String, List<String>> dockerfile() {
    try {
      String text = Files.readString(Path.of("k8s", "image", "Dockerfile"));
      String last = text.substring(text.lastIndexOf("\nFROM ")).replace("\\\n", "");
      Map<String, List<String>> all = new LinkedHashMap<>();
      last.lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> line.split(" ", 2))
          .forEach(
              line -> all.computeIfAbsent(line[0], any -> new ArrayList<>()).add(line[1].strip()));
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String one(String instruction) {
    assertThat(docker.get(instruction)).as(instruction).hasSize(1);
    return docker.get(instruction).getFirst();
  }

  /** Parses {@code A=b C="d e"}. */
  private static Map<String, String> pairs(String text) {
    Map<String, String> pairs = new LinkedHashMap<>();
    Matcher matcher = Pattern.compile("(\\S+?)=(\"[^\"]*\"|\\S+)").matcher(text);
    while (matcher.find()) {
      pairs.put(matcher.group(1), matcher.group(2).replace("\"", ""));
    }
    return pairs;
  }

  private static List<String> array(String json) throws Exception {
    List<String> all = new ArrayList<>();
    JSON.readTree(json).forEach(each -> all.add(each.asText()));
    return all;
  }

  @Test
  void imageOfDocker_isRunAsThatOfJib() throws Exception {
    assertThat(one("FROM")).isEqualTo(pom.text("from/image"));
    assertThat(one("USER")).isEqualTo(pom.text("container/user"));
    assertThat(one("WORKDIR")).isEqualTo(pom.text("container/workingDirectory"));
    assertThat(array(one("ENTRYPOINT")))
        .containsExactlyElementsOf(pom.below("container/entrypoint").values());
    assertThat(array(one("CMD"))).containsExactlyElementsOf(pom.below("container/args").values());
    assertThat(List.of(one("EXPOSE").split(" ")))
        .containsExactlyElementsOf(pom.below("container/ports").values());
    assertThat(pairs(one("ENV")))
        .hasSize(4)
        .containsExactlyEntriesOf(pom.below("container/environment"));
    String labels = one("LABEL");
    Map<String, String> arguments = new LinkedHashMap<>();
    for (String argument : docker.getOrDefault("ARG", List.of())) {
      String[] parts = argument.split("=", 2);
      arguments.put(parts[0], parts.length == 2 ? parts[1] : "");
    }
    for (Map.Entry<String, String> each : arguments.entrySet()) {
      labels = labels.replace("${" + each.getKey() + "}", each.getValue());
    }
    // the commit and the repository are known when the image is built
    assertThat(pairs(labels))
        .hasSize(7)
        .containsEntry("org.opencontainers.image.revision", "")
        .containsEntry("org.opencontainers.image.source", "")
        .containsExactlyEntriesOf(pom.below("container/labels"));
  }

  @Test
  void image_listensForClientsOutsideTheContainer() throws Exception {
    assertThat(pom.below("container/environment")).containsEntry("SERVER_ADDRESS", "0.0.0.0");
  }

  @Test
  void image_isWhatTheChartRuns(@TempDir Path directory) throws Exception {
    JsonNode pod =
        KubernetesObject.only(new HelmChart(directory, "{}").render(""), "Deployment", "penstock")
            .pod();
    String user = pod.at("/spec/securityContext/runAsUser").asText();
    String group = pod.at("/spec/securityContext/runAsGroup").asText();
    assertThat(pom.text("container/user")).isEqualTo(user + ":" + group);
    assertThat(pom.below("container/ports").values())
        .containsExactly(
            pod.at("/spec/containers/0/ports/0/containerPort").asText(),
            pod.at("/spec/containers/0/ports/1/containerPort").asText());
    // relative to the working directory, the routes are where the chart mounts them
    assertThat(pod.at("/spec/containers/0/volumeMounts/0/mountPath").asText())
        .isEqualTo(pom.text("container/workingDirectory") + "/routes");
    assertThat(pom.below("container/entrypoint").values()).containsExactly(ImageTree.COMMAND);
    assertThat(pom.below("container/environment").get("PATH")).startsWith(ImageTree.HOME + ":");
  }

  @Test
  void image_hasEveryFileThatIsMade_howeverItIsBuilt() throws Exception {
    List<String> copied =
        docker.get("COPY").stream()
            .flatMap(line -> Stream.of(line.split(" ")))
            .filter(part -> part.startsWith("/build/target/image/"))
            .map(part -> part.substring("/build/target/image/".length()))
            .toList();
    assertThat(copied)
        .containsExactlyInAnyOrder(
            "opt/penstock/jre",
            "opt/penstock/lib",
            "opt/penstock/penstock",
            "opt/penstock/penstock.*",
            "opt/penstock/java.options",
            "opt/penstock/LICENSE",
            "opt/penstock/NOTICE",
            "etc/penstock");
  }

  @Test
  void basesOfTheImage_areNamedByDigest() throws Exception {
    assertThat(pom.text("from/image")).matches("[a-z]+:[^@]+@sha256:[0-9a-f]{64}");
    String text = Files.readString(Path.of("k8s", "image", "Dockerfile"));
    assertThat(text.lines().filter(line -> line.startsWith("FROM ")))
        .hasSize(2)
        .allMatch(line -> line.matches("FROM [a-z]+:[^@]+@sha256:[0-9a-f]{64}( AS build)?"));
  }

  @Test
  void licenseAndNotice_areInTheJarAndInTheImage() throws Exception {
    // the jar is packed from there
    Path packed = Path.of("target", "classes", "META-INF");
    assertThat(packed.resolve("LICENSE")).hasSameTextualContentAs(Path.of("LICENSE"));
    for (String name : List.of("LICENSE", "NOTICE")) {
      assertThat(packed.resolve(name)).isNotEmptyFile();
      assertThat(pom.text("extraDirectories/paths/path[3]/includes"))
          .contains("opt/penstock/" + name);
    }
  }

  @Test
  void gatewayThatIsWatchedForTheCache_hasRoutesWithoutAFault() {
    Path training = Path.of("k8s", "image", "training.yaml");
    assertThat(new RouteFiles(Map.of(), MockAddress::parse).load(training))
        .isInstanceOf(LoadedConfiguration.Good.class);
  }
}
