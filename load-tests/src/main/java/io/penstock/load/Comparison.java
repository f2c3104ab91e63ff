package io.penstock.load;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/** What was measured of all, round by round, and the ratios of Penstock to each of the others. */
final class Comparison {
  private final Map<Peer, List<Load.Stretch>> stretches = new LinkedHashMap<>();
  private final List<Peer.Missing> missing;

  /**
   * What there is to say of one.
   *
   * @param requests the median of its rounds, per second
   * @param p50Micros the median of the rounds' medians
   * @param p99Micros the median of the rounds' 99th percentiles
   * @param ratio the median of Penstock's requests to its own of the same round
   * @param atLeast what the true median ratio is at least, with {@link Statistics#CONFIDENCE}
   */
  private record Row(
      Peer peer,
      double requests,
      double p50Micros,
      double p99Micros,
      long failures,
      double ratio,
      double atLeast) {
    private String judged() {
      if (Double.isNaN(peer.goal())) {
        return "";
      }
      return "%.1f%s".formatted(peer.goal(), judgedBy() >= peer.goal() ? "" : " NOT MET");
    }

    /** The bound, where there are rounds enough for one. */
    private double judgedBy() {
      return Double.isNaN(atLeast) ? ratio : atLeast;
    }
  }

  Comparison(List<Peer> peers, List<Peer.Missing> missing) {
    peers.forEach(peer -> stretches.put(peer, new ArrayList<>()));
    this.missing = missing;
  }

  /** Adds what the next round came to for a peer. */
  void add(Peer peer, Load.Stretch stretch) {
    of(peer).add(stretch);
  }

  private List<Load.Stretch> of(Peer peer) {
    return Objects.requireNonNull(stretches.get(peer), peer::name);
  }

  /** Returns whether Penstock was measured, and nobody had a request fail. */
  boolean good() {
    boolean measured = stretches.keySet().stream().anyMatch(Comparison::isPenstock);
    return measured && rows().stream().allMatch(row -> row.failures() == 0);
  }

  private static boolean isPenstock(Peer peer) {
    return peer.name().equals(Penstock.NAME);
  }

  private List<Row> rows() {
    double[] ours =
        stretches.keySet().stream()
            .filter(Comparison::isPenstock)
            .findFirst()
            .map(peer -> values(peer, Load.Stretch::requests))
            .orElse(new double[0]);
    List<Row> rows = new ArrayList<>();
    for (Peer peer : stretches.keySet()) {
      rows.add(row(peer, ours));
    }
    return rows;
  }

  private Row row(Peer peer, double[] ours) {
    double[] requests = values(peer, Load.Stretch::requests);
    boolean compared = ours.length > 0 && !isPenstock(peer);
    double[] ratios = compared ? Statistics.ratios(ours, requests) : new double[0];
    return new Row(
        peer,
        Statistics.median(requests),
        Statistics.median(values(peer, Load.Stretch::p50Micros)),
        Statistics.median(values(peer, Load.Stretch::p99Micros)),
        of(peer).stream().mapToLong(Load.Stretch::failures).sum(),
        compared ? Statistics.median(ratios) : Double.NaN,
        compared ? Statistics.lowerBound(ratios) : Double.NaN);
  }

  private double[] values(Peer peer, ToDoubleFunction<Load.Stretch> value) {
    return of(peer).stream().mapToDouble(value).toArray();
  }

  /** Returns a line for each, and one for each that is missing. */
  String table() {
    StringBuilder text = new StringBuilder();
    String line = "%-22s %11s %8s %8s %8s %14s %10s  %s%n";
    text.append(
        line.formatted(
            "", "requests/s", "p50 ms", "p99 ms", "failed", "Penstock ÷ it", "at least", "goal"));
    for (Row row : rows()) {
      text.append(
          line.formatted(
              row.peer().name(),
              "%,.0f".formatted(row.requests()),
              "%.2f".formatted(row.p50Micros() / 1e3),
              "%.2f".formatted(row.p99Micros() / 1e3),
              row.failures(),
              number(row.ratio()),
              number(row.atLeast()),
              row.judged()));
    }
    for (Peer.Missing each : missing) {
      text.append("%-22s missing: %s%n".formatted(each.name(), each.reason()));
    }
    text.append(
            "Ratios are medians over the rounds, each of two stretches of one round. 'At least'")
        .append(" is the lower 95 % bound\nof the median by the sign test, which takes five")
        .append(" rounds or more.\n");
    return text.toString();
  }

  private static String number(double value) {
    return Double.isNaN(value) ? "-" : "%.2f".formatted(value);
  }

  /** Returns what was promised of Penstock beside each of the others. */
  List<Figure> figures() {
    String what = "requests/s, all on: Penstock ÷ it";
    List<Figure> figures = new ArrayList<>();
    for (Row row : rows()) {
      Peer peer = row.peer();
      if (!isPenstock(peer)) {
        String measured = "%s, at least %s".formatted(number(row.ratio()), number(row.atLeast()));
        figures.add(
            Double.isNaN(peer.goal())
                ? Figure.told(what, peer.name(), measured)
                : Figure.atLeast(what, peer.name(), peer.goal(), row.judgedBy(), measured));
      }
    }
    for (Peer.Missing each : missing) {
      String goal = Double.isNaN(each.goal()) ? "" : Figure.least(each.goal());
      figures.add(Figure.missing(what, each.name(), goal, each.reason()));
    }
    return figures;
  }

  /** Returns all of it, with every round, for JSON. */
  Map<String, Object> details() {
    List<Map<String, Object>> peers = new ArrayList<>();
    for (Row row : rows()) {
      Map<String, Object> each = new LinkedHashMap<>();
      each.put("name", row.peer().name());
      each.put("requests_per_second", row.requests());
      each.put("p50_us", row.p50Micros());
      each.put("p99_us", row.p99Micros());
      each.put("failures", row.failures());
      put(each, "ratio", row.ratio());
      put(each, "ratio_at_least", row.atLeast());
      put(each, "goal", row.peer().goal());
      each.put("rounds", of(row.peer()));
      peers.add(each);
    }
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("peers", peers);
    List<Map<String, Object>> without = new ArrayList<>();
    for (Peer.Missing each : missing) {
      without.add(Map.of("name", each.name(), "reason", each.reason()));
    }
    all.put("missing", without);
    return all;
  }

  private static void put(Map<String, Object> into, String name, double value) {
    if (!Double.isNaN(value)) {
      into.put(name, value);
    }
  }
}
