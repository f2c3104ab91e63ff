package io.penstock.suite;

/**
 * Runs the tests that use BlockHound in a JVM of their own, because BlockHound rewrites classes of
 * the JDK.
 */
class BlockHoundIT extends OtherJvmTests {
  BlockHoundIT() {
    super(
        TaggedTests.BLOCK_HOUND,
        1,
        "-XX:+AllowRedefinitionToAddDeleteMethods",
        "-XX:+EnableDynamicAgentLoading");
  }
}
