package io.penstock.fake;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Replaces the parts of a text that differ from run to run, so that it can be compared with a
 * record. Nothing else is replaced: names and the forms of values stay.
 *
 * <ul>
 *   <li>Literals given by the test, such as an address with its port, become the given names.
 *   <li>Instants near the present become {@code <instant>}; others, which were configured, stay.
 *   <li>UUIDs, other ids of 128 random bits and secrets of keys become {@code <uuid>}, {@code <id>}
 *       and {@code <secret>}; numbers of the mock provider's answers are replaced.
 *   <li>The commit that the program was built from, and the version of Java, become {@code
 *       <commit>} and {@code <java>}.
 *   <li>Measured times, recognized by their names, become {@code <ms>} or {@code <seconds>}.
 *   <li>Times until the end of a minute or a day, recognized by their names, become {@code <up to
 *       60 s>} or {@code <up to 86400 s>} if they are at least three quarters of that and not more;
 *       other values stay, including 1 second.
 * </ul>
 */
public final class StableText {
  private static final Duration NEAR = Duration.ofDays(32);
  private static final double SLACK = 1.1;
  private static final double LEAST = 0.75;

  private static final Pattern INSTANT =
      Pattern.compile("\\b\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z");
  private static final Pattern NEXT =
      Pattern.compile("next at (?:\\d{4}-\\d\\d-\\d\\d )?\\d\\d:\\d\\d:\\d\\d UTC");
  private static final Pattern RESETS = Pattern.compile("\"resets_at\":\\d+");

  private static final Pattern UUID =
      Pattern.compile("\\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\\b");
  private static final Pattern RANDOM = Pattern.compile("(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])");
  private static final Pattern MOCK = Pattern.compile("(?<![A-Za-z])mock([-_])\\d+\\b");
  private static final Pattern SECRET = Pattern.compile("\\bpsk_[0-9A-Za-z]{49}\\b");
  private static final Pattern MEASURED =
      Pattern.compile(
          "(\"(?:queued_for_ms|oldest_wait_ms|waited_ms|lasted_ms|took_ms)\":"
              + "|(?i:x-penstock-queued-ms: ))\\d+");
  private static final Pattern COMMIT =
      Pattern.compile(
          "(\"commit\":)(?:null|\"[0-9a-f]{40}\"|\\{[^}]*})(?:(,\"commit_time\":)(?:null|\"[^\"]*\"))?");
  private static final Pattern JAVA = Pattern.compile("(\"java\":(?:\\{\"version\":)?)\"[^\"]*\"");
  private static final Pattern WAITED = Pattern.compile("\\bit waited \\d+\\.\\d s\\b");
  private static final Pattern SECONDS = Pattern.compile("(\"created(?:_at)?\":)(\\d{10})\\b");
  private static final Pattern UNTIL_SECONDS =
      Pattern.compile("((?i:retry-after: )|;t=|\"retryDelay\":\")(\\d+(?:\\.\\d+)?)");
  private static final Pattern UNTIL_MILLIS =
      Pattern.compile(
          "((?i:retry-after-ms: )|\"(?:retry_after_ms|reset_ms|expected_wait_ms)\":)(\\d+)");
  private static final Pattern UNTIL_UNITS =
      Pattern.compile("((?i:x-ratelimit-reset-\\w+: ))((?:\\d+(?:\\.\\d+)?(?:ms|[dhms]))+)");

  private final Map<String, String> names = new LinkedHashMap<>();
  private final Instant now;

  /** Creates a replacement for text that is read at {@code now}. */
  public StableText(Instant now) {
    this.now = now;
  }

  /** Replaces {@code literal} by {@code name} everywhere. */
  public StableText name(String literal, String name) {
    names.put(literal, name);
    return this;
  }

  /** Returns {@code text} in the form that is equal in every run. */
  public String of(String text) {
    String stable = text;
    for (Map.Entry<String, String> each : names.entrySet()) {
      stable = stable.replace(each.getKey(), each.getValue());
    }
    stable = COMMIT.matcher(stable).replaceAll(StableText::commit);
    stable = JAVA.matcher(stable).replaceAll("$1<java>");
    stable = INSTANT.matcher(stable).replaceAll(found -> instant(found.group()));
    stable = NEXT.matcher(stable).replaceAll("next at <time>");
    stable = RESETS.matcher(stable).replaceAll("\"resets_at\":<seconds>");
    stable = UUID.matcher(stable).replaceAll("<uuid>");
    stable = SECRET.matcher(stable).replaceAll("<secret>");
    stable = RANDOM.matcher(stable).replaceAll("<id>");
    stable = MOCK.matcher(stable).replaceAll("mock$1<number>");
    stable = MEASURED.matcher(stable).replaceAll("$1<ms>");
    stable = WAITED.matcher(stable).replaceAll("it waited <seconds> s");
    stable =
        SECONDS
            .matcher(stable)
            .replaceAll(
                found ->
                    found.group(1)
                        + (near(Instant.ofEpochSecond(Long.parseLong(found.group(2))))
                            ? "<seconds>"
                            : found.group(2)));
    stable = until(UNTIL_SECONDS, stable, found -> found);
    stable = until(UNTIL_MILLIS, stable, found -> Double.toString(Long.parseLong(found) / 1000.0));
    return until(UNTIL_UNITS, stable, StableText::seconds);
  }

  /** Returns the members of a commit without their values, which a build may not know. */
  private static String commit(MatchResult found) {
    return found.group(1)
        + "<commit>"
        + (found.group(2) == null ? "" : found.group(2) + "<instant>");
  }

  private String instant(String text) {
    return near(Instant.parse(text)) ? "<instant>" : text;
  }

  private boolean near(Instant instant) {
    return Duration.between(now, instant).abs().compareTo(NEAR) <= 0;
  }

  private static String until(Pattern pattern, String text, UnaryOperator<String> seconds) {
    return pattern
        .matcher(text)
        .replaceAll(
            found ->
                java.util.regex.Matcher.quoteReplacement(
                    found.group(1)
                        + until(found, Double.parseDouble(seconds.apply(found.group(2))))));
  }

  private static String until(MatchResult found, double seconds) {
    for (int whole : new int[] {60, 86_400}) {
      if (seconds >= LEAST * whole && seconds <= Math.min(SLACK * whole, whole + 2.0)) {
        return "<up to " + whole + " s>";
      }
    }
    return found.group(2);
  }

  /** Parses a time such as {@code 1m0.5s}, as OpenAI writes it. */
  private static String seconds(String text) {
    double sum = 0;
    var part = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|[dhms])").matcher(text);
    while (part.find()) {
      double unit =
          switch (part.group(2)) {
            case "d" -> 86_400;
            case "h" -> 3_600;
            case "m" -> 60;
            case "s" -> 1;
            default -> 0.001;
          };
      sum += unit * Double.parseDouble(part.group(1));
    }
    return Double.toString(sum);
  }
}
