package io.penstock.suite;

import org.junit.jupiter.api.Order;

/**
 * Runs the test classes that read the log of their whole JVM: in several JVMs side by side, and in
 * each of them one class after another.
 */
@Order(1) // takes long, and mostly waits
class LogReadersIT extends OtherJvmTests {
  private static final int JVMS = 4;

  LogReadersIT() {
    super(TaggedTests.READS_LOG, JVMS);
  }
}
