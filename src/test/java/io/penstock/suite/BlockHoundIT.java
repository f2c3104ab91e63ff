package io.penstock.suite;

/** Runs the test classes that have BlockHound watch their JVM: it rewrites classes of the JDK. */
class BlockHoundIT extends OtherJvmTests {
  BlockHoundIT() {
    super(
        TaggedTests.BLOCK_HOUND,
        "-XX:+AllowRedefinitionToAddDeleteMethods",
        "-XX:+EnableDynamicAgentLoading");
  }
}
