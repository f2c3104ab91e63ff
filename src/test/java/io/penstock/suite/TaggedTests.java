package io.penstock.suite;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the integration tests with the JUnit tag given as the only argument, and prints a {@link
 * TestResultLine} for each test.
 */
public final class TaggedTests {
  /** The tag of tests that read the log of their whole JVM. */
  public static final String READS_LOG = "reads-log";

  /** The tag of tests that use BlockHound to detect blocking threads. */
  public static final String BLOCK_HOUND = "blockhound";

  private TaggedTests() {}

  public static void main(String[] arguments) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectPackage("io.penstock"))
            .filters(
                TagFilter.includeTags(arguments[0]),
                ClassNameFilter.includeClassNamePatterns(".*IT"))
            .build();
    Results results = new Results();
    LauncherFactory.create().execute(request, results);
    System.exit(results.tests == 0 ? 1 : 0);
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
