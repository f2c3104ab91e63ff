package io.penstock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.DocumentPages;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
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

/** Counts the cases of the tests that the page about security names. */
class SecurityPageTest {
  private static final int LEAST_CASES = 150;
  private static final Path TESTS = Path.of("src", "test", "java");
  private static final Pattern TEST_CLASS = Pattern.compile("`([A-Z]\\w*(?:Test|IT))`");

  private static Class<?> type(Path file) throws ClassNotFoundException {
    String name = TESTS.relativize(file).toString().replace(".java", "").replace('/', '.');
    return Class.forName(name, false, SecurityPageTest.class.getClassLoader());
  }

  /** Returns how many cases a test class has, its own and those that it inherits. */
  private static int cases(Class<?> type) {
    return ReflectionSupport.findMethods(type, method -> true, HierarchyTraversalMode.TOP_DOWN)
        .stream()
        .mapToInt(SecurityPageTest::cases)
        .sum();
  }

  /** Arguments that only a run could tell count as one case. */
  private static int cases(Method method) {
    if (!AnnotationSupport.isAnnotated(method, Testable.class)) {
      return 0;
    }
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

  @Test
  void testsOfThePage_haveManyHostileCases() throws ClassNotFoundException {
    TreeSet<String> named = new TreeSet<>();
    String page = DocumentPages.text(DocumentPages.page("security.md"));
    TEST_CLASS.matcher(page).results().map((MatchResult each) -> each.group(1)).forEach(named::add);
    Map<String, Integer> cases = new TreeMap<>();
    for (Path file : SourceTree.javaFiles(TESTS)) {
      String name = Objects.toString(file.getFileName()).replace(".java", "");
      if (named.contains(name)) {
        cases.put(name, cases(type(file)));
      }
    }
    assertThat(cases.keySet()).isEqualTo(named);
    int all = cases.values().stream().mapToInt(Integer::intValue).sum();
    System.out.println(all + " cases of the tests on the page about security: " + cases);
    assertThat(cases).doesNotContainValue(0);
    assertThat(all).isGreaterThanOrEqualTo(LEAST_CASES);
  }

  @ParameterizedTest
  @CsvSource({
    "rowsAndMethods_areCases, 3",
    "testsOfThePage_haveManyHostileCases, 1",
    "constants, 0"
  })
  void rowsAndMethods_areCases(String method, int cases) {
    int counted = 0;
    for (Method each : SecurityPageTest.class.getDeclaredMethods()) {
      counted += each.getName().equals(method) ? cases(each) : 0;
    }
    assertThat(counted).isEqualTo(cases);
  }
}
