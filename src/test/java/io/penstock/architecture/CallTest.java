package io.penstock.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CallTest {
  private static final List<ArchRule> RULES =
      List.of(
          CallRules.ONLY_TIME_READS_A_CLOCK,
          CallRules.NOTHING_SLEEPS,
          CallRules.NOTHING_BLOCKS,
          CallRules.STAGES_ARE_NOT_CANCELLED,
          CallRules.VIRTUAL_TIME_IS_ISOLATED,
          CallRules.WHOLE_LOG_IS_READ_ISOLATED,
          CallRules.TESTS_WAIT_PATIENTLY);

  @TempDir Path directory;

  @Test
  void programAndTests_asBuilt_makeNoForbiddenCall() {
    JavaClasses all = new ClassFileImporter().importPackages(LayerTable.ROOT);
    assertThat(all.contain(CallTest.class)).isTrue();
    assertThat(all.contain("io.penstock.time.Ticker")).isTrue();
    for (ArchRule rule : RULES) {
      rule.check(all);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "System.nanoTime()",
        "System.currentTimeMillis()",
        "(java.util.function.LongSupplier) System::nanoTime",
        "(java.util.function.Supplier<Long>) () -> System.nanoTime()",
        "java.time.Instant.now()",
        "java.time.LocalDate.now()",
        "java.time.LocalDate.now(java.time.ZoneOffset.UTC)",
        "java.time.ZonedDateTime.now()",
        "java.time.Clock.systemUTC()",
        "java.time.Clock.tickSeconds(java.time.ZoneOffset.UTC)",
        "java.time.InstantSource.system()",
        "new java.util.Date()",
        "java.util.Calendar.getInstance()"
      })
  void clock_readOutsideTime_fails(String expression) {
    assertFails(CallRules.ONLY_TIME_READS_A_CLOCK, compile("quota", expression));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "java.time.Instant.now(java.time.Clock.fixed(java.time.Instant.EPOCH,"
            + " java.time.ZoneOffset.UTC))",
        "new java.util.Date(0)",
        "io.penstock.time.Ticker.system().nanos()"
      })
  void clock_takenAsAnArgument_passes(String expression) {
    CallRules.ONLY_TIME_READS_A_CLOCK.check(compile("quota", expression));
  }

  @Test
  void clock_readInTime_passes() {
    CallRules.ONLY_TIME_READS_A_CLOCK
        .allowEmptyShould(true)
        .check(compile("time", "System.nanoTime()"));
  }

  @Test
  void thread_sleeps_fails() {
    String sleeps = "(java.util.concurrent.Callable<?>) () -> { %s; return null; }";
    assertFails(CallRules.NOTHING_SLEEPS, compile("park", sleeps.formatted("Thread.sleep(1)")));
    assertFails(
        CallRules.NOTHING_SLEEPS,
        compile("park", sleeps.formatted("java.util.concurrent.TimeUnit.DAYS.sleep(1)")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "reactor.core.publisher.Mono.just(1).block()",
        "reactor.core.publisher.Mono.just(1).block(java.time.Duration.ZERO)",
        "reactor.core.publisher.Flux.just(1).blockLast()",
        "reactor.core.publisher.Flux.just(1).toStream()",
        "(java.util.function.Function<reactor.core.publisher.Mono<?>, ?>)"
            + " reactor.core.publisher.Mono::block"
      })
  void publisher_isBlockedOn_fails(String expression) {
    assertFails(CallRules.NOTHING_BLOCKS, compile("gateway", expression));
  }

  @Test
  void stage_thatAPublisherWouldCancel_fails() {
    String stage =
        "reactor.core.publisher.Mono.fromCompletionStage("
            + "java.util.concurrent.CompletableFuture.completedStage(1))";
    assertFails(CallRules.STAGES_ARE_NOT_CANCELLED, compile("gateway", stage));
    CallRules.STAGES_ARE_NOT_CANCELLED.check(
        compile("gateway", stage.replace("Completion", "").replace("Stage", "Future")));
  }

  @Test
  void virtualTime_inATestThatIsNotIsolated_fails() {
    String usesVirtualTime =
        "class Uses { void at() { reactor.test.StepVerifier.withVirtualTime("
            + "reactor.core.publisher.Mono::empty); } }";
    String isolated = "@org.junit.jupiter.api.parallel.Isolated ";
    assertFails(
        CallRules.VIRTUAL_TIME_IS_ISOLATED,
        JavaSnippets.compile(directory, "package io.penstock.park; " + usesVirtualTime));
    CallRules.VIRTUAL_TIME_IS_ISOLATED.check(
        JavaSnippets.compile(directory, "package io.penstock.park; " + isolated + usesVirtualTime));
  }

  @Test
  void wholeLog_readInATestThatIsNotIsolated_fails() {
    String readsTheLog =
        "class Uses { void at() { io.penstock.fake.LogCapture.listen().close(); } }";
    String isolated = "@org.junit.jupiter.api.parallel.Isolated ";
    assertFails(
        CallRules.WHOLE_LOG_IS_READ_ISOLATED,
        JavaSnippets.compile(directory, "package io.penstock.park; " + readsTheLog));
    CallRules.WHOLE_LOG_IS_READ_ISOLATED.check(
        JavaSnippets.compile(directory, "package io.penstock.park; " + isolated + readsTheLog));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "new java.util.concurrent.CountDownLatch(1).await(1, java.util.concurrent.TimeUnit.DAYS)",
        "new java.util.concurrent.CompletableFuture<String>().get(1,"
            + " java.util.concurrent.TimeUnit.DAYS)",
        "new java.util.concurrent.CompletableFuture<String>().orTimeout(1,"
            + " java.util.concurrent.TimeUnit.DAYS)",
        "new ProcessBuilder().start().waitFor(java.time.Duration.ofDays(1))",
        "org.awaitility.Awaitility.await()",
        "io.penstock.fake.PatientWaits.await().atMost(java.time.Duration.ofDays(1))"
      })
  void wait_thatGivesUpAfterATimeOfItsOwn_fails(String expression) {
    assertFails(CallRules.TESTS_WAIT_PATIENTLY, compile("park", callable(expression)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "io.penstock.fake.PatientWaits.await()",
        "new java.util.concurrent.CompletableFuture<String>().get()",
        "java.util.concurrent.Executors.newScheduledThreadPool(1).schedule(() -> 1, 1,"
            + " java.util.concurrent.TimeUnit.DAYS)"
      })
  void wait_thatIsPatient_passes(String expression) {
    CallRules.TESTS_WAIT_PATIENTLY.check(compile("park", callable(expression)));
  }

  private static String callable(String expression) {
    return "(java.util.concurrent.Callable<?>) () -> " + expression;
  }

  private JavaClasses compile(String room, String expression) {
    return JavaSnippets.compile(
        directory,
        "package io.penstock.%s; class Uses { Object at() { return %s; } }"
            .formatted(room, expression));
  }

  private static void assertFails(ArchRule rule, JavaClasses classes) {
    assertThatThrownBy(() -> rule.check(classes))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("Uses");
  }
}
