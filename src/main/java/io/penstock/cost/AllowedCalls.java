package io.penstock.cost;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The calls to a provider that a key or an endpoint lets through.
 *
 * @param all whether it lets all through; the other components then do not matter
 * @param weighed whether it lets those through that are weighed
 * @param paths paths of calls that it lets through in any case, with all that is below them
 */
public record AllowedCalls(boolean all, boolean weighed, List<String> paths) {
  /** All calls. */
  public static final AllowedCalls ALL = new AllowedCalls(true, true, List.of());

  /** The calls with a cost in tokens that is known, or with none. */
  public static final AllowedCalls WEIGHED = new AllowedCalls(false, true, List.of());

  /** The word for {@link #ALL} in files and requests. */
  public static final String ALL_WORD = "all";

  /** The word for {@link #WEIGHED}. */
  public static final String WEIGHED_WORD = "weighed";

  /** Matches the paths that can be written. */
  public static final Pattern PATH = Pattern.compile("(/[^/\\s%?#;\\\\]{1,256}){1,16}");

  public AllowedCalls {
    paths = List.copyOf(paths);
  }

  /** Returns the calls that a list of words and paths stands for. */
  public static AllowedCalls of(Collection<String> words) {
    List<String> paths = new ArrayList<>(words);
    boolean weighed = paths.removeIf(WEIGHED_WORD::equals);
    return new AllowedCalls(false, weighed, paths);
  }

  /** Returns whether this is one of the entries of a list. */
  public static boolean isEntry(String word) {
    return word.equals(WEIGHED_WORD) || PATH.matcher(word).matches();
  }

  /**
   * Returns whether a call passes.
   *
   * @param isWeighed whether it is weighed, or costs nothing
   * @param path its path, decoded, as it is sent upstream without the path of the upstream's URL
   */
  public boolean permit(boolean isWeighed, String path) {
    return all || (weighed && isWeighed) || paths.stream().anyMatch(each -> covers(each, path));
  }

  private static boolean covers(String allowed, String path) {
    if (!path.regionMatches(true, 0, allowed, 0, allowed.length())) {
      return false;
    }
    char next = path.length() == allowed.length() ? '/' : path.charAt(allowed.length());
    return next == '/' || next == ':';
  }

  /** Returns whether any call passes that is not weighed. */
  public boolean permitUnweighed() {
    return all || !paths.isEmpty();
  }

  /** Returns the word or the list of words that stands for these calls. */
  public Object shown() {
    if (all) {
      return ALL_WORD;
    }
    return paths.isEmpty() && weighed ? WEIGHED_WORD : words();
  }

  /** Returns the list of words that stands for these calls, unless they are all. */
  public List<String> words() {
    List<String> words = new ArrayList<>();
    if (weighed) {
      words.add(WEIGHED_WORD);
    }
    words.addAll(paths);
    return words;
  }
}
