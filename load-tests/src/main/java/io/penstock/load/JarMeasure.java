package io.penstock.load;

/** Something that is measured of each of two jars. */
enum JarMeasure {
  REQUESTS("requests/s, saturated", true, "%,.0f"),
  LONG_REQUESTS("requests/s of long conversations, saturated", true, "%,.0f"),
  LONG_CPU("processor time of a request of these, ms", false, "%.3f"),
  MEDIAN("p50 at the fixed rate, ms", false, "%.3f"),
  TAIL("p99 at the fixed rate, ms", false, "%.3f"),
  ALLOCATED("bytes allocated per request", false, "%,.0f"),
  DECISIONS("decision: permits/s over HTTP", true, "%,.0f"),
  PARKED_HEAP("parking: bytes of heap per request", false, "%,.0f"),
  RELEASES("parking: requests released/s over HTTP", true, "%,.0f");

  private final String title;
  private final boolean moreIsBetter;
  private final String format;

  JarMeasure(String title, boolean moreIsBetter, String format) {
    this.title = title;
    this.moreIsBetter = moreIsBetter;
    this.format = format;
  }

  String title() {
    return title;
  }

  /** Returns a value of it, for tables. */
  String shown(double value) {
    return format.formatted(value);
  }

  /** Returns in words what the ratio of the new jar to the old one says beside the noise. */
  String verdict(RatioInterval ratio, RatioInterval noise) {
    if (!ratio.bounded() || !noise.bounded()) {
      return "no result: too few pairs";
    }
    if (!ratio.outside(noise)) {
      return "within the noise";
    }
    return ratio.estimate() > 1 == moreIsBetter ? "BETTER than before" : "WORSE than before";
  }
}
