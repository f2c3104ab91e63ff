package io.penstock.suite;

import org.junit.jupiter.api.Order;

/** Runs the test classes that read the log of their whole JVM. */
@Order(1) // takes long, and mostly waits
class LogReadersIT extends OtherJvmTests {
  LogReadersIT() {
    super(TaggedTests.READS_LOG);
  }
}
