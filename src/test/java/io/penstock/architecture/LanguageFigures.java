package io.penstock.architecture;

import com.sun.source.tree.ClassTree;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Figures about the names, the comments and the structure of a source tree.
 *
 * @param types number of top-level types
 * @param oneWord types whose name is a single word
 * @param doubled type names that exist more than once
 * @param sentences number of comments, of which the first sentence is looked at
 * @param hard first sentences in a style that is hard to read
 * @param cycles reference cycles within a package, each with its types
 */
record LanguageFigures(
    int types,
    List<String> oneWord,
    List<String> doubled,
    int sentences,
    List<String> hard,
    List<Set<String>> cycles) {
  private static final Pattern ONE_WORD = Pattern.compile("[A-Z][a-z0-9]*|[A-Z]+");

  private static final Pattern HARD =
      Pattern.compile(
          "^(?:what|who|whom|whose|of)\\b|\\b(?:one that|of which|whom|whose|who)\\b",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern TYPE_NAME = Pattern.compile("\\b[A-Z]\\w*");
  private static final int SHORTEST_WORDS = 3;

  /** Returns the figures of some sources. */
  static LanguageFigures of(List<CheckedSource> sources) {
    Map<String, Integer> names = new TreeMap<>();
    Map<String, Map<String, String>> packages = new TreeMap<>();
    List<String> hard = new ArrayList<>();
    int sentences = 0;
    for (CheckedSource source : sources) {
      String code = source.code();
      source.tree().getTypeDecls().stream()
          .filter(ClassTree.class::isInstance)
          .map(type -> ((ClassTree) type).getSimpleName().toString())
          .forEach(
              name -> {
                names.merge(name, 1, Integer::sum);
                packages
                    .computeIfAbsent(source.packageName(), absent -> new TreeMap<>())
                    .put(name, code);
              });
      for (String comment : source.commentBlocks()) {
        String first = firstSentence(comment);
        if (first.split(" ", -1).length >= SHORTEST_WORDS && !first.startsWith("@")) {
          sentences++;
          if (HARD.matcher(first).find()) {
            hard.add(source.path() + ": " + first);
          }
        }
      }
    }
    return new LanguageFigures(
        names.values().stream().mapToInt(Integer::intValue).sum(),
        names.keySet().stream().filter(name -> ONE_WORD.matcher(name).matches()).toList(),
        names.keySet().stream().filter(name -> names.getOrDefault(name, 0) > 1).toList(),
        sentences,
        hard,
        packages.values().stream().flatMap(types -> cycles(types).stream()).toList());
  }

  /** Returns the share of types whose name is a single word, 0 to 1. */
  double oneWordShare() {
    return (double) oneWord.size() / types;
  }

  /** Returns the share of first sentences that are hard to read, 0 to 1. */
  double hardShare() {
    return (double) hard.size() / sentences;
  }

  /** Returns the number of types in the largest cycle, 0 when there is none. */
  int largestCycle() {
    return cycles.stream().mapToInt(Set::size).max().orElse(0);
  }

  /** Returns the first sentence of a comment, without its marks. */
  static String firstSentence(String comment) {
    String text =
        comment
            .replaceAll("^/\\*+|\\*/$|^//+", "")
            .replaceAll("(?m)^\\s*(?:\\*+|//+)", " ")
            .replaceAll("<[^>]+>", " ")
            .replaceAll("\\{@\\w+ ([^}]*)}", "$1")
            .strip()
            .replaceAll("\\s+", " ");
    return text.split("(?<=[.!?:;])\\s", 2)[0];
  }

  /** Returns the sets of types of one package that refer to each other, directly or not. */
  private static List<Set<String>> cycles(Map<String, String> types) {
    Map<String, Set<String>> references = new LinkedHashMap<>();
    types.forEach(
        (name, code) -> {
          Set<String> found = new TreeSet<>();
          Matcher matcher = TYPE_NAME.matcher(code);
          while (matcher.find()) {
            if (types.containsKey(matcher.group()) && !matcher.group().equals(name)) {
              found.add(matcher.group());
            }
          }
          references.put(name, found);
        });
    Map<String, Set<String>> reached = new HashMap<>();
    types.keySet().forEach(name -> reached.put(name, reach(name, references)));
    Set<Set<String>> cycles = new HashSet<>();
    for (String name : types.keySet()) {
      Set<String> cycle =
          reach(name, references).stream()
              .filter(other -> reached.getOrDefault(other, Set.of()).contains(name))
              .collect(Collectors.toCollection(TreeSet::new));
      if (cycle.size() > 1) {
        cycles.add(cycle);
      }
    }
    return List.copyOf(cycles);
  }

  private static Set<String> reach(String from, Map<String, Set<String>> references) {
    Set<String> reached = new HashSet<>();
    Deque<String> left = new ArrayDeque<>(references.getOrDefault(from, Set.of()));
    while (!left.isEmpty()) {
      String next = left.pop();
      if (reached.add(next)) {
        left.addAll(references.getOrDefault(next, Set.of()));
      }
    }
    return reached;
  }
}
