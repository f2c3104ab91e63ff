package io.penstock.load;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The values of two gateways that were measured in pairs, and what they came to. */
final class PairedValues {
  private final String first;
  private final String second;
  private final Map<JarMeasure, List<double[]>> pairs = new EnumMap<>(JarMeasure.class);

  /** Makes one without any pair, for two gateways by their names. */
  PairedValues(String first, String second) {
    this.first = first;
    this.second = second;
  }

  /** Adds a pair. */
  void add(JarMeasure measure, double ofFirst, double ofSecond) {
    pairs.computeIfAbsent(measure, none -> new ArrayList<>()).add(new double[] {ofFirst, ofSecond});
  }

  private double[] values(JarMeasure measure, int side) {
    List<double[]> all = Objects.requireNonNull(pairs.get(measure), measure::title);
    return all.stream().mapToDouble(pair -> pair[side]).toArray();
  }

  /** Returns the ratio of the second to the first. */
  RatioInterval ratio(JarMeasure measure) {
    return RatioInterval.of(values(measure, 1), values(measure, 0));
  }

  /** Returns a line for each measure. */
  String table() {
    String line = "%-40s %12s %12s %8s  %s%n";
    StringBuilder text = new StringBuilder();
    text.append(line.formatted("", first, second, "ratio", "95 % interval"));
    for (JarMeasure measure : pairs.keySet()) {
      text.append(line.formatted(cells(measure)));
    }
    return text.toString();
  }

  /** Returns a line for each measure, with the noise and what is to be concluded from both. */
  String table(PairedValues noise) {
    String line = "%-40s %12s %12s %8s  %-16s  %-16s  %s%n";
    StringBuilder text = new StringBuilder();
    text.append(
        line.formatted("", first, second, "ratio", "95 % interval", "noise", "new beside old jar"));
    for (JarMeasure measure : pairs.keySet()) {
      List<Object> cells = new ArrayList<>(List.of(cells(measure)));
      cells.add(shown(noise.ratio(measure)));
      cells.add(measure.verdict(ratio(measure), noise.ratio(measure)));
      text.append(line.formatted(cells.toArray()));
    }
    return text.toString();
  }

  private Object[] cells(JarMeasure measure) {
    RatioInterval ratio = ratio(measure);
    return new Object[] {
      measure.title(),
      measure.shown(Statistics.median(values(measure, 0))),
      measure.shown(Statistics.median(values(measure, 1))),
      "%.3f".formatted(ratio.estimate()),
      shown(ratio)
    };
  }

  private static String shown(RatioInterval ratio) {
    return ratio.bounded() ? "%.3f to %.3f".formatted(ratio.low(), ratio.high()) : "-";
  }

  /** Returns a figure for each measure. */
  List<Figure> figures(PairedValues noise) {
    List<Figure> figures = new ArrayList<>();
    for (JarMeasure measure : pairs.keySet()) {
      RatioInterval ratio = ratio(measure);
      String measured =
          "%.3f, %s: %s"
              .formatted(
                  ratio.estimate(), shown(ratio), measure.verdict(ratio, noise.ratio(measure)));
      figures.add(Figure.told(measure.title(), "the old jar", measured));
    }
    return figures;
  }

  /** Returns every pair, for JSON. */
  Map<String, Object> details() {
    Map<String, Object> all = new LinkedHashMap<>();
    for (JarMeasure measure : pairs.keySet()) {
      RatioInterval ratio = ratio(measure);
      Map<String, Object> each = new LinkedHashMap<>();
      each.put(first, values(measure, 0));
      each.put(second, values(measure, 1));
      each.put("ratio", ratio.estimate());
      if (ratio.bounded()) {
        each.put("low", ratio.low());
        each.put("high", ratio.high());
      }
      all.put(measure.name(), each);
    }
    return all;
  }
}
