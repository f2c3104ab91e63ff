package io.penstock.fake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The result of a scrape.
 *
 * @param types types of metrics, by name
 * @param samples its lines
 * @param text the whole text
 */
public record MetricsScrape(Map<String, String> types, List<Sample> samples, String text) {
  private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");
  private static final Pattern LINE =
      Pattern.compile("([a-zA-Z_:][\\w:]*)(?:\\{(.*)})? (\\S+)( # .*)?");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

  /** Accept header of a scraper that supports exemplars. */
  public static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0";

  /**
   * A line.
   *
   * @param exemplar the exemplar at its end, or empty
   */
  public record Sample(String name, Map<String, String> labels, double value, String exemplar) {}

  /** Scrapes a gateway in the old text format of Prometheus. */
  public static MetricsScrape of(int operatorPort) {
    return of(operatorPort, "text/plain");
  }

  /** Scrapes a gateway. */
  public static MetricsScrape of(int operatorPort, String accept) {
    URI uri = URI.create("http://127.0.0.1:" + operatorPort + "/actuator/prometheus");
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request = HttpRequest.newBuilder(uri).header("Accept", accept).build();
      return parse(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Parses a scrape; an invalid line is an error. */
  public static MetricsScrape parse(String text) {
    Map<String, String> types = new HashMap<>();
    List<Sample> samples = new ArrayList<>();
    for (String line : text.split("\n", -1)) {
      Matcher type = TYPE.matcher(line);
      Matcher sample = LINE.matcher(line);
      if (type.matches()) {
        types.put(type.group(1), type.group(2));
      } else if (!line.isEmpty() && !line.startsWith("#")) {
        if (!sample.matches()) {
          throw new AssertionError("no line of metrics: " + line);
        }
        samples.add(sample(sample));
      }
    }
    return new MetricsScrape(types, samples, text);
  }

  private static Sample sample(Matcher line) {
    Map<String, String> labels = new HashMap<>();
    Matcher label = LABEL.matcher(line.group(2) == null ? "" : line.group(2));
    while (label.find()) {
      labels.put(label.group(1), label.group(2));
    }
    double value = Double.parseDouble(line.group(3).replace("+Inf", "Infinity"));
    return new Sample(
        line.group(1), labels, value, line.group(4) == null ? "" : line.group(4).strip());
  }

  /** Returns the lines with a name. */
  public List<Sample> of(String name) {
    return samples.stream().filter(sample -> sample.name().equals(name)).toList();
  }

  /** Returns the labels of lines with a name. */
  public Set<String> labels(String name) {
    return of(name).stream()
        .flatMap(sample -> sample.labels().keySet().stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the values of a label. */
  public Set<String> values(String name, String label) {
    return of(name).stream()
        .map(sample -> sample.labels().getOrDefault(label, ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the sum of the lines with these labels. */
  public double sum(String name, Map<String, String> labels) {
    return of(name).stream()
        .filter(sample -> sample.labels().entrySet().containsAll(labels.entrySet()))
        .mapToDouble(Sample::value)
        .sum();
  }
}
