package io.penstock.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.parallel.Isolated;

/** Rules over compiled classes and tests, which forbid certain calls and method references. */
final class CallRules {
  private static final String OURS = LayerTable.ROOT + "..";
  private static final String CLOCKS = LayerTable.ROOT + ".time";
  private static final Set<String> BLOCKING =
      Set.of("block", "blockFirst", "blockLast", "blockOptional", "toIterable", "toStream");

  static final ArchRule ONLY_TIME_READS_A_CLOCK =
      classes()
          .that()
          .resideInAPackage(OURS)
          .and()
          .resideOutsideOfPackage(CLOCKS)
          .should(notCall("read no clock", CallRules::readsClock));

  static final ArchRule NOTHING_SLEEPS =
      classes().that().resideInAPackage(OURS).should(notCall("not sleep", CallRules::sleeps));

  static final ArchRule NOTHING_BLOCKS =
      classes()
          .that()
          .resideInAPackage(OURS)
          .should(notCall("not block on a publisher", CallRules::blocks));

  /** Those of {@code completedStage} and {@code failedStage} throw when a client leaves. */
  static final ArchRule STAGES_ARE_NOT_CANCELLED =
      classes()
          .that()
          .resideInAPackage(OURS)
          .should(
              notCall(
                  "give a publisher a future, because not every stage can be cancelled",
                  access -> access.getName().equals("fromCompletionStage")));

  /** Virtual time replaces the schedulers of the whole JVM, and test classes run concurrently. */
  static final ArchRule VIRTUAL_TIME_IS_ISOLATED =
      classes()
          .that()
          .resideInAPackage(OURS)
          .should(
              notCall(
                  "use virtual time only in an @Isolated test class",
                  access -> setsVirtualTime(access) && !isolated(access.getOriginOwner())));

  /** The log belongs to the whole JVM, and test classes run concurrently. */
  static final ArchRule WHOLE_LOG_IS_READ_ISOLATED =
      classes()
          .that()
          .resideInAPackage(OURS)
          .should(
              notCall(
                  "read the log of the JVM only in an @Isolated test class",
                  access -> readsWholeLog(access) && !isolated(access.getOriginOwner())));

  /** The bound of a wait in a test only detects hangs, and is the same for all of them. */
  static final ArchRule TESTS_WAIT_PATIENTLY =
      classes()
          .that()
          .resideInAPackage(OURS)
          .and()
          .resideOutsideOfPackages(LayerTable.ROOT + ".bench..", LayerTable.ROOT + ".upgrade..")
          .should(
              notCall(
                  "wait in tests by PatientWaits, so that a busy machine fails none",
                  access -> givesUp(access) && ofTests(access.getOriginOwner())));

  /** Methods that give up after a time; others with a unit of time only plan something. */
  private static final Set<String> GIVES_UP =
      Set.of(
          "await",
          "get",
          "poll",
          "orTimeout",
          "completeOnTimeout",
          "tryAcquire",
          "tryLock",
          "waitFor");

  /** Tests that wait for as long as they are told to, and say what for. */
  private static final Set<String> PATIENT =
      Set.of(
          ".fake.PatientWaits",
          ".clients.ClientProcess",
          ".chart.TrainingRun",
          ".dispatch.StressClients",
          ".suite.SerialLoggingIT");

  private static final Set<String> TIMES =
      Set.of("java.util.concurrent.TimeUnit", "java.time.Duration");
  private static final String PROGRAM = "/classes/";

  private CallRules() {}

  private static boolean readsClock(JavaCodeUnitAccess<?> access) {
    CodeUnitAccessTarget target = access.getTarget();
    String name = target.getName();
    return switch (target.getOwner().getName()) {
      case "java.lang.System" -> name.equals("nanoTime") || name.equals("currentTimeMillis");
      case "java.util.Date" -> name.equals("<init>") && target.getRawParameterTypes().isEmpty();
      case "java.util.Calendar" -> name.equals("getInstance");
      case "java.time.InstantSource" -> name.equals("system");
      case "java.time.Clock" ->
          name.startsWith("system") || (name.startsWith("tick") && !takesClock(target));
      case String owner ->
          owner.startsWith("java.time.") && name.equals("now") && !takesClock(target);
    };
  }

  private static boolean takesClock(CodeUnitAccessTarget target) {
    return target.getRawParameterTypes().stream()
        .anyMatch(type -> type.getName().equals("java.time.Clock"));
  }

  private static boolean sleeps(JavaCodeUnitAccess<?> access) {
    String owner = access.getTargetOwner().getName();
    return access.getName().equals("sleep")
        && (owner.equals("java.lang.Thread") || owner.equals("java.util.concurrent.TimeUnit"));
  }

  private static boolean blocks(JavaCodeUnitAccess<?> access) {
    return BLOCKING.contains(access.getName())
        && access.getTargetOwner().getName().startsWith("reactor.core.");
  }

  /**
   * Methods that install virtual time. A scheduler of virtual time that is only created and passed
   * on replaces nothing.
   */
  private static final Set<String> INSTALLS_VIRTUAL_TIME = Set.of("set", "getOrSet");

  private static boolean setsVirtualTime(JavaCodeUnitAccess<?> access) {
    String owner = access.getTargetOwner().getName();
    return (owner.equals("reactor.test.StepVerifier") && access.getName().equals("withVirtualTime"))
        || (owner.equals("reactor.test.scheduler.VirtualTimeScheduler")
            && INSTALLS_VIRTUAL_TIME.contains(access.getName()));
  }

  private static boolean readsWholeLog(JavaCodeUnitAccess<?> access) {
    return access.getTargetOwner().getName().equals("io.penstock.fake.LogCapture")
        && access.getName().equals("listen");
  }

  private static boolean givesUp(JavaCodeUnitAccess<?> access) {
    String owner = access.getTargetOwner().getName();
    if (owner.startsWith("org.awaitility.")) {
      return owner.equals("org.awaitility.Awaitility") || access.getName().equals("atMost");
    }
    return (owner.startsWith("java.util.concurrent.") || owner.equals("java.lang.Process"))
        && GIVES_UP.contains(access.getName())
        && access.getTarget().getRawParameterTypes().stream()
            .anyMatch(type -> TIMES.contains(type.getName()));
  }

  /** Returns whether a class is not one of the program. */
  private static boolean ofTests(JavaClass type) {
    return type.getSource().stream().noneMatch(from -> from.getUri().getPath().contains(PROGRAM))
        && PATIENT.stream().noneMatch(each -> type.getName().startsWith(LayerTable.ROOT + each));
  }

  private static boolean isolated(JavaClass testClass) {
    return testClass.isAnnotatedWith(Isolated.class)
        || testClass.getAllRawSuperclasses().stream()
            .anyMatch(parent -> parent.isAnnotatedWith(Isolated.class))
        || testClass.getEnclosingClass().map(CallRules::isolated).orElse(false);
  }

  private static ArchCondition<JavaClass> notCall(
      String description, Predicate<JavaCodeUnitAccess<?>> forbidden) {
    return new ArchCondition<>(description) {
      @Override
      public void check(JavaClass item, ConditionEvents events) {
        for (JavaCodeUnitAccess<?> access : item.getCodeUnitAccessesFromSelf()) {
          if (forbidden.test(access)) {
            events.add(SimpleConditionEvent.violated(access, access.getDescription()));
          }
        }
      }
    };
  }
}
