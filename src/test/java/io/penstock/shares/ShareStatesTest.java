package io.penstock.shares;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shares.MemoryShareStore.Rule;
import io.penstock.suite.TaggedTests;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * In all states of a small fleet, the instances may never spend more than the limit, nor does the
 * store hold more, and whoever waits is served in a few rounds.
 */
class ShareStatesTest {
  private static final long LIMIT = 3;
  private static final List<List<Long>> ONE_EACH = List.of(List.of(1L), List.of(1L), List.of(1L));
  private static final List<List<Long>> MORE =
      List.of(List.of(1L, 1L), List.of(1L, 1L), List.of(1L));
  private static final List<List<Long>> LARGE = List.of(List.of(1L), List.of(2L), List.of(1L));

  @ParameterizedTest
  @CsvSource({"2, 1, true, false, 80000", "2, 1, true, true, 70000", "3, 0, false, false, 25000"})
  void enoughForAll_anyOrder_allAreServed(
      int messages, int lost, boolean loses, boolean firstServed, int least) {
    visit(ONE_EACH, firstServed, messages, lost, loses, least);
  }

  @ParameterizedTest
  @CsvSource({
    "3, 0, true, false, 300000",
    "4, 1, false, true, 500000",
    "2, 1, true, false, 80000",
    "2, 1, true, true, 60000"
  })
  void moreThanTheLimitIsAsked_anyOrder_nothingIsOver(
      int messages, int lost, boolean loses, boolean firstServed, int least) {
    visit(MORE, firstServed, messages, lost, loses, least);
  }

  @ParameterizedTest
  @CsvSource({"2, 1, true, false, 80000", "2, 1, true, true, 65000"})
  void largeRequestWaits_anyOrder_nothingIsOver(
      int messages, int lost, boolean loses, boolean firstServed, int least) {
    visit(LARGE, firstServed, messages, lost, loses, least);
  }

  @ParameterizedTest
  @Tag(TaggedTests.FULL)
  @CsvSource({"4, 0, true, false, 3000000"})
  void fourCallsEach_anyOrder_nothingIsOver(
      int messages, int lost, boolean loses, boolean firstServed, int least) {
    visit(MORE, firstServed, messages, lost, loses, least);
  }

  @ParameterizedTest
  @CsvSource({"LATE_CALLS_ARE_IGNORED, false", "ALL_MUST_REGISTER, true"})
  void ruleIsLeftOut_storeHoldsTooMuch(Rule rule, boolean loses) {
    ShareStates.Visited visited =
        new ShareStates(new ShareStates.Setting(LIMIT, MORE, false, 3, 1, loses, EnumSet.of(rule)))
            .visit();
    System.out.printf("without %s: %s%n", rule, visited.fault());
    assertThat(visited.fault()).startsWith("store holds");
  }

  private static void visit(
      List<List<Long>> demands,
      boolean firstServed,
      int messages,
      int lost,
      boolean loses,
      int least) {
    ShareStates states =
        new ShareStates(
            new ShareStates.Setting(LIMIT, demands, firstServed, messages, lost, loses, Set.of()));
    ShareStates.Visited visited = states.visit();
    System.out.printf(
        "%s, %d messages each, %d given up, data lost %s, first served %s: %,d states, %s, served"
            + " in %d rounds%n",
        demands,
        messages,
        lost,
        loses,
        firstServed,
        visited.states(),
        states.parts(),
        visited.rounds());
    assertThat(visited.fault()).isNull();
    assertThat(visited.states()).isGreaterThan(least);
  }
}
