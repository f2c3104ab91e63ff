package io.penstock.suite;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.ClassSelector;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs integration tests with one JUnit tag, and prints a {@link TestResultLine} for each of them.
 *
 * <p>The arguments are the tag, the number of JVMs that share these test classes, and the number of
 * this one among them, from 0.
 */
public final class TaggedTests {
  /** The tag of tests that only {@code mvn verify -Pfull} runs. */
  public static final String FULL = "full";

  /** The tag of tests that measure, so that they need all compilers of the JVM. */
  public static final String MEASURED = "measured";

  /** The tag of tests of the image, which {@code mvn verify -Pimage} makes. */
  public static final String IMAGE = "image";

  /** The tag of tests that only {@code mvn verify -Pagents} runs. */
  public static final String AGENTS = "agents";

  /** The tag of tests that read the log of their whole JVM. */
  public static final String READS_LOG = "reads-log";

  /** The tag of tests that use BlockHound to detect blocking threads. */
  public static final String BLOCK_HOUND = "blockhound";

  private TaggedTests() {}

  public static void main(String[] arguments) {
    Results results = new Results();
    PostDiscoveryFilter tagged = TagFilter.includeTags(arguments[0]);
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(
                    share(
                        classes(tagged),
                        Integer.parseInt(arguments[1]),
                        Integer.parseInt(arguments[2])))
                .filters(tagged)
                .build(),
            results);
    System.exit(results.tests == 0 ? 1 : 0);
  }

  /** Returns the names of all classes with such a test, in a stable order. */
  private static List<String> classes(PostDiscoveryFilter tagged) {
    TestPlan all =
        LauncherFactory.create()
            .discover(
                LauncherDiscoveryRequestBuilder.request()
                    .selectors(selectPackage("io.penstock"))
                    .filters(tagged, ClassNameFilter.includeClassNamePatterns(".*IT"))
                    .build());
    return all.getRoots().stream()
        .flatMap(root -> all.getChildren(root).stream())
        .map(test -> ((ClassSource) test.getSource().orElseThrow()).getClassName())
        .sorted()
        .toList();
  }

  private static List<ClassSelector> share(List<String> classes, int jvms, int jvm) {
    return IntStream.range(0, classes.size())
        .filter(at -> at % jvms == jvm)
        .mapToObj(at -> selectClass(classes.get(at)))
        .toList();
  }

  private static final class Results implements TestExecutionListener {
    private int tests;

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
      boolean failed = result.getStatus() == TestExecutionResult.Status.FAILED;
      if (test.isTest() || failed) {
        tests++;
        String failure = result.getThrowable().map(Results::trace).orElse("");
        System.out.println(new TestResultLine(name(test), failed ? failure : "").line());
      }
    }

    private static String name(TestIdentifier test) {
      String in =
          test.getSource()
              .map(
                  source ->
                      switch (source) {
                        case MethodSource method -> method.getClassName() + ".";
                        case ClassSource type -> type.getClassName() + ".";
                        default -> "";
                      })
              .orElse("");
      return in.substring(in.lastIndexOf('.', in.length() - 2) + 1) + test.getDisplayName();
    }

    private static String trace(Throwable failure) {
      StringWriter text = new StringWriter();
      failure.printStackTrace(new PrintWriter(text));
      return text.toString();
    }
  }
}
