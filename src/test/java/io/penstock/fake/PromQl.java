package io.penstock.fake;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The metrics and labels in a Prometheus expression; supports the part of the language that our
 * expressions use.
 *
 * @param metrics each with its matched labels, and their values if given
 * @param grouped labels that a sum is grouped by
 */
public record PromQl(List<Selector> metrics, Set<String> grouped) {
  /** A metric, and the matchers of its labels. */
  public record Selector(String metric, Map<String, String> equal, Set<String> labels) {}

  private static final String LABELS = "by|without|on|ignoring|group_left|group_right";
  private static final Set<String> WORDS =
      Set.of("and", "or", "unless", "bool", "offset", "inf", "nan");
  private static final Pattern GROUPING = Pattern.compile("\\b(?:" + LABELS + ")\\s*\\(([^)]*)\\)");
  private static final Pattern RANGE = Pattern.compile("\\[[^]]*]");
  private static final Pattern STRING = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"");
  private static final Pattern NAME =
      Pattern.compile("([a-zA-Z_:][\\w:]*)(\\s*\\()?(?:\\{([^}]*)})?");
  private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"");

  /** Parses an expression. */
  public static PromQl of(String expression) {
    Set<String> grouped = new TreeSet<>();
    Matcher grouping = GROUPING.matcher(expression);
    while (grouping.find()) {
      for (String label : grouping.group(1).split(",", -1)) {
        if (!label.isBlank()) {
          grouped.add(label.strip());
        }
      }
    }
    String rest = RANGE.matcher(GROUPING.matcher(expression).replaceAll("")).replaceAll("");
    List<Selector> metrics = new ArrayList<>();
    Matcher name = NAME.matcher(rest);
    while (name.find()) {
      boolean function = name.group(2) != null;
      boolean digit = name.start() > 0 && Character.isDigit(rest.charAt(name.start() - 1));
      if (!function && !digit && !WORDS.contains(name.group(1))) {
        metrics.add(selector(name.group(1), name.group(3) == null ? "" : name.group(3)));
      }
    }
    if (metrics.isEmpty()) {
      throw new AssertionError("names no metric: " + expression);
    }
    return new PromQl(metrics, grouped);
  }

  private static Selector selector(String metric, String matchers) {
    if (!STRING.matcher(matchers).replaceAll("").matches("[\\w\\s,=~!]*")) {
      throw new AssertionError("cannot be read: " + metric + "{" + matchers + "}");
    }
    Map<String, String> equal = new TreeMap<>();
    Set<String> labels = new TreeSet<>();
    Matcher each = MATCHER.matcher(matchers);
    while (each.find()) {
      labels.add(each.group(1));
      if (each.group(2).equals("=")) {
        equal.put(each.group(1), each.group(3));
      }
    }
    return new Selector(metric, equal, labels);
  }

  /** Returns the faults of the expression, given all existing metrics. */
  public List<String> faults(MetricsScrape scrape) {
    List<String> faults = new ArrayList<>();
    Set<String> known = new TreeSet<>(Set.of("instance", "job"));
    for (Selector selector : metrics) {
      Set<String> labels = new TreeSet<>(scrape.labels(selector.metric()));
      if (scrape.of(selector.metric()).isEmpty()) {
        faults.add("no metric " + selector.metric());
        continue;
      }
      known.addAll(labels);
      for (String label : selector.labels()) {
        if (!labels.contains(label)) {
          faults.add("no label " + label + " at " + selector.metric());
        }
      }
      selector
          .equal()
          .forEach(
              (label, value) -> {
                if (!scrape.values(selector.metric(), label).contains(value)) {
                  faults.add("no " + label + " is " + value + " at " + selector.metric());
                }
              });
    }
    for (String label : grouped) {
      if (!known.contains(label)) {
        faults.add("no label " + label + " to go by");
      }
    }
    return faults;
  }
}
