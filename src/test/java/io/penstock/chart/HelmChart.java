package io.penstock.chart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.marcnuri.helm.DryRun;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The Helm chart, rendered by Helm itself without a cluster. */
public final class HelmChart {
  static final Path SOURCE = Path.of("k8s", "penstock");

  /** Oldest version that Chart.yaml allows. */
  private static final String KUBERNETES = "1.30.0";

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Cache of parsed objects, because most values leave most objects unchanged. */
  private static final Map<String, JsonNode> READ = new ConcurrentHashMap<>();

  private final Path copy;
  private final Path work;

  /** Thrown if Helm refuses to render; the message is the one shown to the user. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String message) {
      super(message, null, false, false);
    }
  }

  /**
   * Creates a modified copy. The present content of Secrets is given instead of looked up, because
   * the library would contact a cluster where Helm does not; and the test pod is not a hook,
   * because hooks are omitted when rendering.
   *
   * @param kept the present content of every Secret, as JSON of base64
   */
  public HelmChart(Path directory, String kept) {
    work = directory;
    copy = directory.resolve("penstock");
    try (Stream<Path> files = Files.walk(SOURCE, FileVisitOption.FOLLOW_LINKS)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path to = copy.resolve(SOURCE.relativize(file));
        Files.createDirectories(to.getParent());
        Files.write(to, Files.readAllBytes(file));
      }
      replace("templates/_kept.tpl", "(?s)\\A.*\\z", kept(kept));
      replace("templates/tests/top.yaml", "helm\\.sh/hook", "example.org/hook");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String kept(String json) {
    return "{{- define \"penstock.kept\" -}}" + json + "{{- end -}}";
  }

  /** Replaces a text in a file of the copy; the text must exist. */
  void replace(String file, String pattern, String by) throws IOException {
    Path path = copy.resolve(file);
    String before = Files.readString(path);
    String after = before.replaceAll(pattern, by);
    if (after.equals(before)) {
      throw new IllegalArgumentException(file + " has no " + pattern);
    }
    Files.writeString(path, after);
  }

  /** Returns the objects that are installed with these values over the chart's own. */
  List<KubernetesObject> render(JsonNode values) throws Refused {
    TemplateCommand command =
        template().withName("rel").withNamespace("ns").withValuesFile(written(values));
    try {
      return manifests(command.call());
    } catch (IllegalStateException refused) {
      throw new Refused(String.valueOf(refused.getMessage()));
    }
  }

  /** Returns the same with values as YAML. */
  List<KubernetesObject> render(String values) throws Refused {
    return render(yaml(values));
  }

  /** Returns a command that renders the copy. */
  public TemplateCommand template() {
    return new Helm(copy).template().withKubeVersion(KUBERNETES);
  }

  /** Returns the error shown when installing with these values, or nothing if they are valid. */
  Optional<String> refusal(JsonNode values) {
    try {
      render(values);
      return Optional.empty();
    } catch (Refused refused) {
      return Optional.of(String.valueOf(refused.getMessage()));
    }
  }

  /** Returns the notes shown after installing the chart itself, not the copy. */
  static String notes(Path values) {
    return new Helm(SOURCE)
        .install()
        .clientOnly()
        .dryRun()
        .withDryRunOption(DryRun.CLIENT)
        .withKubeVersion(KUBERNETES)
        .withName("rel")
        .withNamespace("ns")
        .withValuesFile(values)
        .call()
        .getOutput();
  }

  /** Runs Helm's lint. */
  static LintResult lint() {
    return new Helm(SOURCE).lint().strict().call();
  }

  private Path written(JsonNode values) {
    try {
      return Files.writeString(Files.createTempFile(work, "values", ".yaml"), values.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<KubernetesObject> manifests(String text) {
    return Pattern.compile("^---$", Pattern.MULTILINE)
        .splitAsStream(text)
        .map(document -> READ.computeIfAbsent(document, HelmChart::yaml))
        .filter(object -> !object.isEmpty())
        .map(object -> new KubernetesObject(object.deepCopy()))
        .toList();
  }

  /** Parses YAML with at most one document. */
  static JsonNode yaml(String text) {
    Object document = loader().load(text);
    return document == null ? JSON.createObjectNode() : JSON.valueToTree(document);
  }

  /** Returns both values merged, the second over the first, in the same way as Helm. */
  static JsonNode merged(JsonNode below, JsonNode above) {
    if (!below.isObject() || !above.isObject()) {
      return above;
    }
    ObjectNode both = ((ObjectNode) below).deepCopy();
    above
        .properties()
        .forEach(
            each ->
                both.set(
                    each.getKey(),
                    both.has(each.getKey())
                        ? merged(both.get(each.getKey()), each.getValue())
                        : each.getValue()));
    return both;
  }

  private static Yaml loader() {
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    return new Yaml(new SafeConstructor(options));
  }
}
