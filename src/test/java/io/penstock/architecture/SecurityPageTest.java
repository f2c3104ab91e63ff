package io.penstock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.DocumentPages;
import io.penstock.suite.Hostile;
import io.penstock.suite.SourceTree;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * Counts the hostile cases of the tests that the page about security names, or the table of shared
 * state, and checks that they name every class that has some.
 */
class SecurityPageTest {
  private static final int LEAST_CASES = 150;
  private static final Path TESTS = Path.of("src", "test", "java");
  private static final Map<Hostile.By, String> ATTACKERS =
      Map.of(
          Hostile.By.CLIENT, "clients", Hostile.By.UPSTREAM, "upstreams", Hostile.By.PAGE, "pages");
  private static final Pattern TEST_CLASS = Pattern.compile("`([A-Z]\\w*(?:Test|IT))`");

  private static Class<?> type(Path file) throws ClassNotFoundException {
    String name = TESTS.relativize(file).toString().replace(".java", "").replace('/', '.');
    return Class.forName(name, false, SecurityPageTest.class.getClassLoader());
  }

  /** Returns the tests of a class, its own and those that it inherits. */
  private static List<Method> tests(Class<?> type) {
    return ReflectionSupport.findMethods(
        type,
        method -> AnnotationSupport.isAnnotated(method, Testable.class),
        HierarchyTraversalMode.TOP_DOWN);
  }

  /** Returns who attacks in a test of a class; its method says so, or else the class. */
  private static Optional<Hostile.By> attacker(Class<?> type, Method test) {
    return AnnotationSupport.findAnnotation(test, Hostile.class)
        .or(() -> AnnotationSupport.findAnnotation(type, Hostile.class))
        .map(Hostile::value);
  }

  /** Arguments that only a run could tell count as one case. */
  private static int cases(Method method) {
    int stated = 0;
    for (CsvSource rows : AnnotationSupport.findRepeatableAnnotations(method, CsvSource.class)) {
      stated += rows.value().length + (int) rows.textBlock().lines().count();
    }
    for (ValueSource values :
        AnnotationSupport.findRepeatableAnnotations(method, ValueSource.class)) {
      stated += values.strings().length + values.ints().length + values.longs().length;
      stated += values.booleans().length + values.doubles().length;
    }
    for (EnumSource constants :
        AnnotationSupport.findRepeatableAnnotations(method, EnumSource.class)) {
      stated += constants(method, constants);
    }
    return Math.max(1, stated);
  }

  private static int constants(Method method, EnumSource source) {
    if (source.names().length > 0 || method.getParameterCount() == 0) {
      return Math.max(1, source.names().length);
    }
    Object[] all = method.getParameterTypes()[0].getEnumConstants();
    return all == null ? 1 : all.length;
  }

  private static Set<String> namedOnThePage() {
    Set<String> named = new TreeSet<>();
    for (String name : List.of("security.md", "architecture.md")) {
      String page = DocumentPages.text(DocumentPages.page(name));
      TEST_CLASS
          .matcher(page)
          .results()
          .map((MatchResult each) -> each.group(1))
          .forEach(named::add);
    }
    return named;
  }

  @Test
  void testsOfThePage_haveManyHostileCases() throws ClassNotFoundException {
    TreeSet<String> withTests = new TreeSet<>();
    Map<Hostile.By, Map<String, Integer>> cases = new EnumMap<>(Hostile.By.class);
    for (Path file : SourceTree.PROJECT.javaFiles(TESTS)) {
      String name = Objects.toString(file.getFileName()).replace(".java", "");
      if (name.endsWith("Test") || name.endsWith("IT")) {
        Class<?> type = type(file);
        for (Method test : tests(type)) {
          withTests.add(name);
          attacker(type, test)
              .map(by -> cases.computeIfAbsent(by, any -> new TreeMap<>()))
              .ifPresent(counted -> counted.merge(name, cases(test), Integer::sum));
        }
      }
    }
    Set<String> named = namedOnThePage();
    assertThat(withTests).as("classes with tests").containsAll(named);
    int all = 0;
    for (Map.Entry<Hostile.By, Map<String, Integer>> each : cases.entrySet()) {
      Map<String, Integer> counted = each.getValue();
      int sum = counted.values().stream().mapToInt(Integer::intValue).sum();
      System.out.println(sum + " cases of hostile " + ATTACKERS.get(each.getKey()) + " " + counted);
      assertThat(named).as("the page").containsAll(counted.keySet());
      all += sum;
    }
    System.out.println(all + " hostile cases");
    assertThat(cases).containsOnlyKeys(Hostile.By.values());
    assertThat(all).isGreaterThanOrEqualTo(LEAST_CASES);
  }

  @ParameterizedTest
  @CsvSource({"rowsAndMethods_areCases, 2", "testsOfThePage_haveManyHostileCases, 1"})
  void rowsAndMethods_areCases(String method, int cases) {
    int counted = 0;
    for (Method each : SecurityPageTest.class.getDeclaredMethods()) {
      counted += each.getName().equals(method) ? cases(each) : 0;
    }
    assertThat(counted).isEqualTo(cases);
  }
}
