package io.penstock.prefix;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.RequestContent;
import io.penstock.cost.TokenUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CacheLearnerTest {
  private static final long SECOND = 1_000_000_000L;
  private static final String MODEL = "claude";
  private static final Boundary SYSTEM = new Boundary(1, 4_000, true, 300);
  private static final Cost COST = new Cost(10_000, 50, 0);
  private static final TokenUsage WRITTEN = new TokenUsage(10_000, 0, 8_570, 1, 0);
  private static final TokenUsage READ = new TokenUsage(10_000, 8_570, 1);

  private final CacheLearner learner = new CacheLearner();
  private long now = 1_000 * SECOND;

  /** A prompt of 10,000 tokens of which the first 8,570 are marked. */
  private static CacheLearner.Prompt prompt(String key, long fingerprint) {
    return prompt(key, new Boundary(fingerprint, 8_570, true, 300));
  }

  private static CacheLearner.Prompt prompt(String key, Boundary... boundaries) {
    return new CacheLearner.Prompt(
        new RequestContent(MODEL, 10_000, 0, 100, 1, true),
        new PromptPrefix(List.of(boundaries)),
        key);
  }

  private long cached(CacheLearner.Prompt prompt, String... upstreams) {
    return learner.expect(COST, prompt, List.of(upstreams), now).cachedTokens();
  }

  /** Returns whether something else is expected because of it. */
  private boolean answer(CacheLearner.Prompt prompt, String upstream, TokenUsage usage) {
    now += SECOND;
    boolean changed = learner.stated(prompt, upstream, MODEL, usage, now, now);
    now++;
    return changed;
  }

  @Test
  void prefix_isExpectedOnceAnAnswerHasReadIt() {
    CacheLearner.Prompt prompt = prompt("k", 1);
    assertThat(cached(prompt, "a")).isZero();
    answer(prompt, "a", WRITTEN);
    assertThat(cached(prompt, "a")).isZero();
    answer(prompt, "a", READ);
    assertThat(cached(prompt, "a")).isEqualTo(8_570);
    assertThat(cached(prompt("k", 2), "a")).isZero();
    assertThat(cached(prompt("other", 1), "a")).isZero();
  }

  @Test
  void prefixThatWasOnlyWritten_isExpectedWhereEarlierOnesWereRead() {
    answer(prompt("k", 1), "a", WRITTEN);
    answer(prompt("k", 1), "a", READ);
    answer(prompt("k", 2), "a", WRITTEN);
    assertThat(cached(prompt("k", 2), "a")).isEqualTo(8_570);
  }

  @Test
  void answerThatReadLess_lowersTheExpectationUntilEightWereGood() {
    CacheLearner.Prompt prompt = prompt("k", 1);
    answer(prompt, "a", WRITTEN);
    answer(prompt, "a", READ);
    answer(prompt, "a", WRITTEN);
    assertThat(cached(prompt, "a")).isZero();
    for (int good = 0; good < 7; good++) {
      answer(prompt, "a", READ);
      assertThat(cached(prompt, "a")).isZero();
    }
    answer(prompt, "a", READ);
    assertThat(cached(prompt, "a")).isEqualTo(8_570);
  }

  @Test
  void answer_tellsWhetherOtherThingsAreExpectedBecauseOfIt() {
    CacheLearner.Prompt prompt = prompt("k", 1);
    assertThat(answer(prompt, "a", WRITTEN)).isFalse();
    assertThat(answer(prompt, "a", READ)).as("first read").isTrue();
    for (int good = 0; good < 5; good++) {
      assertThat(answer(prompt, "a", READ)).as("still read").isFalse();
    }
    assertThat(answer(prompt, "a", WRITTEN)).as("not read").isTrue();
    for (int good = 0; good < 7; good++) {
      assertThat(answer(prompt, "a", READ)).as("not yet").isFalse();
    }
    assertThat(answer(prompt, "a", READ)).as("the last eight were read").isTrue();
  }

  @Test
  void requestsSentBeforeThePrefixWasKnown_doNotCountAsMisses() {
    CacheLearner.Prompt prompt = prompt("k", 1);
    long sent = now;
    now += SECOND;
    for (int each = 0; each < 5; each++) {
      learner.stated(prompt, "a", MODEL, WRITTEN, sent, now);
    }
    answer(prompt, "a", READ);
    assertThat(cached(prompt, "a")).isEqualTo(8_570);
  }

  @ParameterizedTest
  @CsvSource({"300, 294, 296", "3600, 3594, 3596"})
  void prefix_isForgottenAfterItsLifetimeWhichEachUseRenews(int lifetime, long lives, long dead) {
    CacheLearner.Prompt prompt = prompt("k", new Boundary(1, 8_570, true, lifetime));
    answer(prompt, "a", WRITTEN);
    answer(prompt, "a", READ);
    long used = now;
    now = used + lives * SECOND;
    assertThat(cached(prompt, "a")).isEqualTo(8_570);
    answer(prompt, "a", READ);
    used = now;
    now = used + lives * SECOND;
    assertThat(cached(prompt, "a")).isEqualTo(8_570);
    now = used + dead * SECOND;
    assertThat(cached(prompt, "a")).isZero();
  }

  @Test
  void growingConversation_expectsWhatTheTurnBeforeStored() {
    Boundary first = new Boundary(1, 4_000, true, 300);
    answer(prompt("k", first), "a", new TokenUsage(4_100, 0, 4_000, 1, 0));
    answer(prompt("k", first), "a", new TokenUsage(4_100, 4_000, 1));
    Boundary passed = new Boundary(1, 4_000, false, 300);
    Boundary second = new Boundary(2, 7_000, true, 300);
    assertThat(cached(prompt("k", passed, second), "a")).isEqualTo(4_000);
    answer(prompt("k", passed, second), "a", new TokenUsage(7_100, 4_000, 3_000, 1, 0));
    assertThat(cached(prompt("k", passed, new Boundary(2, 7_000, false, 300)), "a"))
        .isEqualTo(7_000);
  }

  @Test
  void severalUpstreams_expectTheShareOfRecentAnswersUnlessAllHaveThePrefix() {
    CacheLearner.Prompt prompt = prompt("k", 1);
    answer(prompt, "a", WRITTEN);
    answer(prompt, "a", READ);
    assertThat(cached(prompt, "a", "b")).isZero();
    for (int each = 0; each < 8; each++) {
      answer(prompt, "a", new TokenUsage(10_000, 5_000, 3_570, 1, 0));
    }
    assertThat(cached(prompt, "a", "b")).isEqualTo(5_000);
    answer(prompt, "b", READ);
    answer(prompt, "b", READ);
    assertThat(cached(prompt, "b")).isEqualTo(8_570);
  }

  @Test
  void promptWithoutBoundaries_isExpectedToReadTheLeastOfTheRecentShares() {
    CacheLearner.Prompt plain = prompt("k");
    for (int each = 0; each < CacheLearner.LEAST_ANSWERS - 1; each++) {
      answer(plain, "a", READ);
    }
    assertThat(cached(plain, "a")).isZero();
    answer(plain, "a", new TokenUsage(10_000, 6_000, 1));
    assertThat(cached(plain, "a")).isEqualTo(6_000);
  }

  @Test
  void refusalOfARequestThatReliedOnTheCache_endsTheExpectation() {
    CacheLearner.Prompt prompt = prompt("k", 1);
    answer(prompt, "a", WRITTEN);
    answer(prompt, "a", READ);
    learner.doubted(prompt, "a", MODEL);
    assertThat(cached(prompt, "a")).isZero();
  }

  @Test
  void shortestNew_isTheFirstThatNobodyHas() {
    Boundary system = new Boundary(1, 4_000, true, 300);
    Boundary last = new Boundary(2, 9_000, true, 300);
    CacheLearner.Prompt prompt = prompt("k", system, last);
    assertThat(learner.shortestNew(prompt, MODEL, List.of("a"), now)).isEqualTo(system);
    answer(prompt("k", system), "a", WRITTEN);
    assertThat(learner.shortestNew(prompt, MODEL, List.of("a"), now)).isEqualTo(last);
    answer(prompt, "a", WRITTEN);
    assertThat(learner.shortestNew(prompt, MODEL, List.of("a"), now)).isNull();
    assertThat(learner.shortestNew(prompt("k"), MODEL, List.of("a"), now)).isNull();
  }

  @Test
  void answersThatShowNoCache_countForTheirKeyOnly_untilOneShowsACache() {
    TokenUsage uncached = new TokenUsage(10_000, 0, 0, 1, 0);
    for (int i = 0; i < CacheLearner.UNUSED; i++) {
      assertThat(learner.shortestNew(prompt("k", 9), MODEL, List.of("a"), now)).isNotNull();
      answer(prompt("k", i), "a", uncached);
    }
    assertThat(learner.shortestNew(prompt("k", 9), MODEL, List.of("a"), now)).isNull();
    assertThat(learner.shortestNew(prompt("k", 9), MODEL, List.of("b"), now)).isNotNull();
    assertThat(learner.shortestNew(prompt("other", 9), MODEL, List.of("a"), now)).isNotNull();
    answer(prompt("k", 7), "a", WRITTEN);
    assertThat(learner.shortestNew(prompt("k", 9), MODEL, List.of("a"), now)).isNotNull();
  }

  @Test
  void home_isTheUpstreamWithTheLongestBeginning() {
    Boundary system = new Boundary(1, 4_000, true, 300);
    Boundary last = new Boundary(2, 9_000, true, 300);
    CacheLearner.Prompt prompt = prompt("k", system, last);
    List<String> both = List.of("a", "b");
    assertThat(learner.home(prompt, MODEL, both, now)).isEqualTo(new CacheLearner.Home(null, 0, 1));
    answer(prompt("k", system), "a", new TokenUsage(4_100, 0, 4_000, 1, 0));
    assertThat(learner.home(prompt, MODEL, both, now))
        .isEqualTo(new CacheLearner.Home("a", 4_000, 1));
    answer(prompt, "b", new TokenUsage(9_100, 0, 9_000, 1, 0));
    assertThat(learner.home(prompt, MODEL, both, now))
        .isEqualTo(new CacheLearner.Home("b", 9_000, 1));
    assertThat(learner.home(prompt, MODEL, List.of("a"), now))
        .as("the other is not asked")
        .isEqualTo(new CacheLearner.Home("a", 4_000, 1));
  }

  @Test
  void promptThatIsNotStored_hasNoHome() {
    Boundary small = new Boundary(1, 100, false, 300);
    assertThat(learner.home(prompt("k", small), MODEL, List.of("a", "b"), now)).isNull();
    assertThat(learner.home(prompt("k"), MODEL, List.of("a", "b"), now)).isNull();
  }

  private static CacheLearner.Prompt firstTurn(long conversation) {
    return prompt("k", SYSTEM, new Boundary(conversation, 5_000, true, 300));
  }

  private CacheLearner.@Nullable Home home(CacheLearner.Prompt prompt) {
    return learner.home(prompt, MODEL, List.of("a", "b"), now);
  }

  @Test
  void firstTurnsWithSharedInstructions_areHashedByWhatFollowsOnceThereAreMoreThanUpstreams() {
    answer(prompt("k", SYSTEM), "a", new TokenUsage(4_100, 0, 4_000, 1, 0));
    assertThat(home(firstTurn(2))).isEqualTo(new CacheLearner.Home("a", 4_000, 1));
    assertThat(home(firstTurn(3))).isEqualTo(new CacheLearner.Home("a", 4_000, 1));
    for (int conversation = 4; conversation < 100; conversation++) {
      assertThat(home(firstTurn(conversation)))
          .isEqualTo(new CacheLearner.Home(null, 0, conversation));
    }
  }

  @Test
  void firstTurnsThatArriveBeforeAnyAnswer_areToldApart() {
    assertThat(home(firstTurn(2))).isEqualTo(new CacheLearner.Home(null, 0, 1));
    assertThat(home(firstTurn(3))).isEqualTo(new CacheLearner.Home(null, 0, 1));
    assertThat(home(firstTurn(4))).isEqualTo(new CacheLearner.Home(null, 0, 4));
    assertThat(home(firstTurn(2)))
        .as("the same prompt again")
        .isEqualTo(new CacheLearner.Home(null, 0, 2));
  }

  @Test
  void conversation_followsItsHolderAlthoughItsInstructionsAreShared() {
    for (int conversation = 100; conversation < 110; conversation++) {
      home(firstTurn(conversation));
    }
    List<Boundary> turns = new ArrayList<>(List.of(SYSTEM));
    for (int turn = 1; turn < 40; turn++) {
      CacheLearner.Prompt before = prompt("k", turns.toArray(Boundary[]::new));
      answer(before, "b", new TokenUsage(4_000 + turn, 0, 3_999 + turn, 1, 0));
      turns.add(new Boundary(1_000 + turn, 4_000 + turn, true, 300));
      if (turn > 1) {
        assertThat(home(prompt("k", turns.toArray(Boundary[]::new))))
            .isEqualTo(new CacheLearner.Home("b", 3_999 + turn, 1));
      }
    }
  }

  @Test
  void promptThatIsSentOften_goesOnInOneWay() {
    answer(firstTurn(2), "a", new TokenUsage(5_100, 0, 5_000, 1, 0));
    for (int again = 0; again < 100; again++) {
      assertThat(home(firstTurn(2))).isEqualTo(new CacheLearner.Home("a", 5_000, 1));
    }
  }

  @Test
  void instructionsThatAreUsedRarelyAgain_arePreferredWhereTheyAreCached() {
    for (int conversation = 2; conversation < 10; conversation++) {
      home(firstTurn(conversation));
    }
    answer(prompt("k", SYSTEM), "a", new TokenUsage(4_100, 0, 4_000, 1, 0));
    assertThat(home(firstTurn(10))).isEqualTo(new CacheLearner.Home(null, 0, 10));
    for (int rare = 0; rare < 3; rare++) {
      now += 200 * SECOND;
      answer(prompt("k", SYSTEM), "a", new TokenUsage(4_100, 4_000, 1));
    }
    assertThat(home(firstTurn(11))).isEqualTo(new CacheLearner.Home("a", 4_000, 1));
  }

  @ParameterizedTest
  @CsvSource({"30, 31", "31, 32", "32, 32", "100, 32"})
  void moreUpstreamsThanRememberedWays_shareInstructionsAllTheSame(int upstreams, int spread) {
    List<String> ids = IntStream.range(0, upstreams).mapToObj(Integer::toString).toList();
    answer(prompt("k", SYSTEM), "0", new TokenUsage(4_100, 0, 4_000, 1, 0));
    for (int way = 1; way < spread; way++) {
      assertThat(learner.home(firstTurn(1 + way), MODEL, ids, now))
          .isEqualTo(new CacheLearner.Home("0", 4_000, 1));
    }
    assertThat(learner.home(firstTurn(99), MODEL, ids, now))
        .isEqualTo(new CacheLearner.Home(null, 0, 99));
  }

  @Test
  void clientWhoseEveryPromptIsNew_neitherFillsTheMemoryNorHidesSharedInstructions() {
    for (int conversation = 2; conversation < 10; conversation++) {
      home(firstTurn(conversation));
    }
    int most = 0;
    for (int each = 0; each < 3 * CacheLearner.MAX_STARTS; each++) {
      home(prompt("hostile", new Boundary(1_000_000 + each, 5_000, true, 300)));
      if (each % 1_000 == 0) {
        assertThat(home(firstTurn(2))).isEqualTo(new CacheLearner.Home(null, 0, 2));
      }
      most = Math.max(most, learner.starts());
    }
    assertThat(most).isEqualTo(CacheLearner.MAX_STARTS);
  }

  @Test
  void nonsense_isHarmless() {
    CacheLearner.Prompt prompt = prompt("k", 1);
    answer(prompt, "a", TokenUsage.NONE);
    answer(prompt, "a", new TokenUsage(0, 0, 5));
    answer(prompt, "a", new TokenUsage(3, 3, 5));
    assertThat(cached(prompt, "a")).isBetween(0L, 10_000L);
    CacheLearner.Prompt empty =
        new CacheLearner.Prompt(
            new RequestContent(MODEL, 0, 0, 100, 1, true),
            new PromptPrefix(List.of(new Boundary(1, 0, true, 300))),
            "k");
    answer(empty, "a", READ);
    answer(empty, "a", READ);
    assertThat(learner.expect(Cost.NO_TOKENS, empty, List.of("a"), now)).isEqualTo(Cost.NO_TOKENS);
  }

  @Test
  void table_keepsTheLatestAndAKeyWithNewPromptsLosesItsOwn() {
    PrefixTable table = new PrefixTable(40);
    List<Boundary> others = new ArrayList<>();
    for (int each = 0; each < 10; each++) {
      others.add(new Boundary(each, 2_000, true, 300));
      table.add(others.getLast(), 2_000, "other" + each, now);
    }
    for (int each = 0; each < 1_000; each++) {
      table.add(new Boundary(1_000 + each, 2_000, true, 300), 2_000, "hostile", now);
    }
    assertThat(table.size()).isEqualTo(20);
    for (Boundary each : others) {
      assertThat(table.longest(new PromptPrefix(List.of(each)), now)).isNotNull();
    }
    for (int each = 0; each < 1_000; each++) {
      table.add(new Boundary(5_000 + each, 2_000, true, 300), 2_000, "k" + each, now);
    }
    assertThat(table.size()).isEqualTo(40);
    table.remove(new Boundary(5_999, 2_000, true, 300));
    assertThat(table.size()).isEqualTo(39);
  }
}
