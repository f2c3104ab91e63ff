package io.penstock.gateway.forward;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.pool.Addition;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The additions of the gateway that upstreams refused in the attempts for one request. A refusal is
 * known by its words: an error whose beginning names an addition of its attempt, wherever and
 * however, is taken for a refusal of it. Each is left out at that upstream from then on, so there
 * are no more repeats than additions. Belongs to the event loop of the request.
 *
 * <p>A maximum of output is a limit that an operator has set. So it is left out only where the
 * provider does not know it, even under another name, or where the model's own limit is lower.
 * Beside a setting of the client that contradicts it, or below the provider's least, it stays.
 */
final class RefusedAdditions {
  private static final Set<Addition> MAXIMA =
      EnumSet.of(Addition.MAX_TOKENS, Addition.MAX_COMPLETION_TOKENS, Addition.MAX_OUTPUT_TOKENS);

  /** Settings of a client that can contradict a maximum. */
  private static final Pattern CONTRADICTED =
      Pattern.compile("min_(?:new_)?tokens|budget_?tokens|thinking");

  private static final Pattern UNKNOWN =
      Pattern.compile(
          "not support|n't support|unsupported|unrecogni[sz]ed|unknown|unexpected|extra[_ ]"
              + "|extraneous|not permitted|not allowed|forbidden|not recogni[sz]ed|not a valid"
              + "|invalid (?:param|field|argument|name|property|key)|cannot find|no such"
              + "|could not be mapped|deprecated|not (?:accepted|available|implemented)");

  private static final Pattern TOO_LARGE =
      Pattern.compile(
          "too (?:large|high|big|long|many|great)|exceed|at most|less than|smaller than"
              + "|larger than|greater than the|above|up to|context|range|<="
              + "|maximum (?:value|allowed|number)");

  private static final Pattern TOO_SMALL =
      Pattern.compile("minimum|too (?:small|low)|at least|greater than|>=");

  private final Map<String, Set<Addition>> refused = new HashMap<>(0);

  /** The upstreams at which a maximum is left out because it is too large for this request. */
  private final Map<String, Set<Addition>> tooLarge = new HashMap<>(0);

  /** Returns whether an answer with that status may refuse an addition. */
  static boolean may(int status) {
    return status == 500
        || status == 501
        || (status >= 400 && status < 500 && status != 408 && status != 429);
  }

  /**
   * Notes the additions that an error refuses, and returns them. Some servers refuse a body that
   * they do not understand without a word: then it is taken to be the option of a stream.
   *
   * @param added those that its attempt had
   * @param beginning the beginning of its body
   */
  Set<Addition> note(String upstream, Set<Addition> added, int status, byte[] beginning) {
    if (added.isEmpty()) {
      return Set.of();
    }
    if (beginning.length == 0) {
      boolean option = (status == 400 || status == 422) && added.contains(Addition.STREAM_USAGE);
      return option ? leftOut(upstream, Addition.STREAM_USAGE) : Set.of();
    }
    String text = new String(beginning, UTF_8).toLowerCase(Locale.ROOT);
    Set<Addition> named = EnumSet.noneOf(Addition.class);
    for (Addition each : added) {
      if (each.isNamedBy(text) && (!each.maximum() || refusesMaximum(text))) {
        named.add(each);
      }
    }
    for (Addition each : named) {
      if (each.maximum() && !unknown(text)) {
        of(tooLarge, upstream).addAll(MAXIMA);
      } else {
        of(refused, upstream).add(each);
      }
    }
    return named;
  }

  private Set<Addition> leftOut(String upstream, Addition addition) {
    of(refused, upstream).add(addition);
    return Set.of(addition);
  }

  private static Set<Addition> of(Map<String, Set<Addition>> all, String upstream) {
    return all.computeIfAbsent(upstream, absent -> EnumSet.noneOf(Addition.class));
  }

  private static boolean refusesMaximum(String text) {
    return !CONTRADICTED.matcher(text).find()
        && (UNKNOWN.matcher(text).find()
            || TOO_LARGE.matcher(text).find()
            || !TOO_SMALL.matcher(text).find());
  }

  /** Returns whether a refusal of a maximum is one of its name, and not of its value. */
  private static boolean unknown(String text) {
    return UNKNOWN.matcher(text).find() || !TOO_LARGE.matcher(text).find();
  }

  /** Returns what an upstream refused whatever the request: it may be so for others too. */
  Set<Addition> at(String upstream) {
    return refused.getOrDefault(upstream, Set.of());
  }

  /**
   * Returns what an attempt goes without.
   *
   * @param remembered what the upstream refused in other requests
   */
  Set<Addition> withheld(String upstream, Set<Addition> remembered) {
    if (refused.isEmpty() && tooLarge.isEmpty()) {
      return remembered;
    }
    Set<Addition> withheld = EnumSet.noneOf(Addition.class);
    withheld.addAll(remembered);
    withheld.addAll(at(upstream));
    withheld.addAll(tooLarge.getOrDefault(upstream, Set.of()));
    return withheld;
  }
}
