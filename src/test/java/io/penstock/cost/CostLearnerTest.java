package io.penstock.cost;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.Hostile;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CostLearnerTest {
  private static final long NONE = RequestContent.UNSTATED;

  private final CostLearner costLearner = new CostLearner();

  private static RequestContent content(String model, long text, long stated) {
    return new RequestContent(model, text, 4, stated, 1, true);
  }

  private void answers(
      int many, String key, RequestContent requestContent, long input, long output) {
    for (int i = 0; i < many; i++) {
      costLearner.answered(requestContent, key, new TokenUsage(input, 0, output));
    }
  }

  @ParameterizedTest
  @CsvSource({
    // text, other, stated, answers, generates: input, output, stated maximum
    "100, 4, -1, 1, true, 104, 256, 0",
    "100, 4, -1, 3, true, 104, 768, 0",
    "100, 4, 50, 1, true, 104, 50, 50",
    "100, 4, 50, 3, true, 104, 150, 150",
    "100, 4, 0, 1, true, 104, 0, 0",
    "100, 0, -1, 1, false, 100, 0, 0",
    "100, 4, 64000, 1, true, 104, 256, 64000",
    "2000, 4, 64000, 1, true, 2004, 501, 64000",
    "20000, 4, 64000, 1, true, 20004, 1024, 64000",
    "20000, 4, 64000, 3, true, 20004, 3072, 192000",
    "1099511627776, 5, 1099511627776, 9, true, 1099511627776, 9216, 1099511627776"
  })
  void whileNothingIsKnown_theRuleOfThumbAndTheDefaultCount(
      long text,
      long other,
      long stated,
      long answers,
      boolean generates,
      long input,
      long output,
      long statedInAll) {
    RequestContent requestContent =
        new RequestContent("m", text, other, stated, answers, generates);
    assertThat(costLearner.expect(requestContent, "k", 256))
        .isEqualTo(new Cost(input, output, statedInAll));
  }

  @Test
  void firstAnswers_correctWhatIsExpected_byTheirNumber() {
    RequestContent large = content("m", 20_000, 64_000);
    answers(1, "k", large, 20_004, 10);
    assertThat(costLearner.expect(large, "k", 256).outputTokens()).isEqualTo(973);
    answers(9, "k", large, 20_004, 10);
    assertThat(costLearner.expect(large, "k", 256).outputTokens()).isEqualTo(517);
    assertThat(costLearner.expect(large, "new", 256).outputTokens()).isEqualTo(1_024);
    answers(5, "long", large, 20_004, 15_000);
    assertThat(costLearner.expect(large, "long", 256).outputTokens()).isBetween(4_500L, 4_800L);
  }

  @Test
  void outputThatIsFixed_isExpected() {
    RequestContent picture = content("m", 100, NONE).producing(6_240);
    assertThat(costLearner.expect(picture, "k", 256)).isEqualTo(new Cost(104, 6_240, 6_240));
    assertThat(costLearner.expect(picture.tokenized(90).stating(7), "k", 256))
        .isEqualTo(new Cost(94, 7, 7));
  }

  @Test
  void firstAnswersThatWereCutOff_correctNothing() {
    answers(5, "k", content("m", 100, 1), 104, 1);
    RequestContent large = content("m", 20_000, 64_000);
    assertThat(costLearner.expect(large, "k", 256).outputTokens()).isEqualTo(1_024);
  }

  @Test
  void twentyAnswers_areAllThatCounts() {
    RequestContent stated = content("m", 100, 4_000);
    answers(19, "k", stated, 104, 10);
    assertThat(costLearner.expect(stated, "k", 256)).isEqualTo(new Cost(104, 22, 4_000));
    answers(1, "k", stated, 104, 10);
    assertThat(costLearner.expect(stated, "k", 256)).isEqualTo(new Cost(104, 10, 4_000));
    assertThat(costLearner.expect(content("m", 100, NONE), "k", 256))
        .isEqualTo(new Cost(104, 10, 0));
    assertThat(costLearner.expect(content("m", 100, 3), "k", 256)).isEqualTo(new Cost(104, 3, 3));
  }

  @Test
  void answersOfOneRequest_areLearnedOneByOne() {
    RequestContent three = new RequestContent("m", 100, 4, 1_000, 3, true);
    answers(20, "k", three, 104, 29);
    assertThat(costLearner.expect(three, "k", 256)).isEqualTo(new Cost(104, 30, 3_000));
    assertThat(costLearner.expect(content("m", 100, NONE), "k", 256).outputTokens()).isEqualTo(10);
  }

  @Test
  void sizeNotSeenEnough_isExpectedAsAnyOfTheKey_thenAsAnyOfTheModel() {
    answers(20, "k", content("m", 100, NONE), 104, 5);
    answers(20, "other", content("m", 5_000, NONE), 5_004, 14);
    answers(19, "k", content("m", 5_000, NONE), 5_004, 12);
    RequestContent large = content("m", 5_000, NONE);
    // 20 × 5 and 19 × 12: rank 36 of 39
    assertThat(costLearner.expect(large, "k", 256).outputTokens()).isEqualTo(12);
    assertThat(costLearner.expect(content("m", 100, NONE), "k", 256).outputTokens()).isEqualTo(5);
    answers(1, "k", large, 5_004, 12);
    assertThat(costLearner.expect(large, "k", 256).outputTokens()).isEqualTo(12);
    answers(20, "third", content("m", 100, NONE), 104, 13);
    assertThat(costLearner.expect(large, "new", 256).outputTokens()).isEqualTo(13);
    assertThat(costLearner.expect(content("n", 5_000, NONE), "k", 256).outputTokens())
        .isEqualTo(256);
  }

  @Test
  void textOfAModel_isCorrectedByItsUsage() {
    answers(200, "k", content("m", 1_000, NONE), 1_304, 1);
    Cost cost = costLearner.expect(content("m", 2_000, NONE), "other", 256);
    assertThat(cost.inputTokens()).isBetween(2_595L, 2_604L);
    assertThat(costLearner.expect(content("n", 2_000, NONE), "k", 256).inputTokens())
        .isEqualTo(2_004);
  }

  @Test
  void tokenizerAndRuleOfThumb_areCorrectedApart() {
    RequestContent counted = content("m", 1, NONE).tokenized(1_000);
    answers(200, "k", counted, 2_004, 1);
    assertThat(costLearner.textRatio(counted, "k")).isBetween(1.99, 2.0);
    assertThat(costLearner.textRatio(content("m", 1_000, NONE), "k")).isEqualTo(1);
    answers(200, "k", content("m", 1_000, NONE), 504, 1);
    assertThat(costLearner.textRatio(content("m", 1_000, NONE), "k")).isBetween(0.5, 0.505);
    assertThat(costLearner.textRatio(counted, "k")).isBetween(1.99, 2.0);
  }

  @ParameterizedTest
  @CsvSource({
    "1000, 4, 8005",
    "1000, 4, 128",
    "1000, 4, 0",
    "1000, 251, 2000",
    "0, 4, 4",
    "0, 0, 1000000"
  })
  void usageThatIsAbsurd_orMostlyNotOfText_teachesNothingOfText(long text, long other, long used) {
    RequestContent requestContent = new RequestContent("m", text, other, NONE, 1, true);
    answers(50, "k", requestContent, used, 1);
    assertThat(costLearner.textRatio(requestContent, "k")).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"1000, 4, 8004", "1000, 4, 129", "1000, 250, 2000"})
  void usageJustWithin_teaches(long text, long other, long used) {
    RequestContent requestContent = new RequestContent("m", text, other, NONE, 1, true);
    answers(50, "k", requestContent, used, 1);
    assertThat(costLearner.textRatio(requestContent, "k")).isNotEqualTo(1);
  }

  @Test
  void requestWithoutAModel_teachesNothing() {
    RequestContent nameless = new RequestContent(null, 1_000, 0, NONE, 1, true);
    answers(50, "k", nameless, 2_000, 1);
    assertThat(costLearner.expect(nameless, "k", 256)).isEqualTo(new Cost(1_000, 256, 0));
    assertThat(costLearner.models()).isZero();
  }

  @Test
  void embeddings_teachTheTextAlone() {
    RequestContent embedding = new RequestContent("e", 1_000, 0, NONE, 1, false);
    answers(50, "k", embedding, 1_500, 0);
    assertThat(costLearner.expect(embedding, "k", 256).inputTokens()).isBetween(1_480L, 1_500L);
    assertThat(costLearner.expect(content("e", 1_000, NONE), "k", 256).outputTokens())
        .isEqualTo(256);
  }

  @ParameterizedTest
  @CsvSource({
    // what each of some keys learned, as counted tokens for 1,000: what a new key starts from
    "7500, 2.0",
    "1800, 1.8",
    "200, 0.5",
    "7500 1000, 1.0",
    "7500 3000, 2.0",
    "200 7500, 1.0",
    "1000 7500 1100, 1.1",
    "7500 3000 1000, 3.0",
    "7500 1000 1200 1100, 1.1",
    "200 900 800 1000, 0.9",
    "7500 1000 1000 1000 7500, 1.0"
  })
  void factorOfAModel_isTheMedianOfItsKeys_andWithinHalfAndTwiceOfFew(String of, double factor) {
    String[] counted = of.split(" ", -1);
    for (int key = 0; key < counted.length; key++) {
      answers(300, "k" + key, content("m", 1_000, NONE), Long.parseLong(counted[key]) + 4, 1);
    }
    assertThat(costLearner.textRatio(content("m", 1_000, NONE), "new"))
        .isBetween(factor - 0.01, factor + 0.01);
    for (int key = 0; key < counted.length; key++) {
      double own = Double.parseDouble(counted[key]) / 1_000;
      assertThat(costLearner.textRatio(content("m", 1_000, NONE), "k" + key))
          .as("of its own")
          .isBetween(own - 0.01, own + 0.01);
    }
  }

  @Test
  void oneKeysFactor_changesForNoKeyThatKnowsTheModel() {
    answers(50, "alice", content("m", 1_000, NONE), 1_104, 1);
    double before = costLearner.textRatio(content("m", 1_000, NONE), "alice");
    answers(1_000, "mallory", content("m", 1_000, NONE), 7_504, 1);
    assertThat(costLearner.textRatio(content("m", 1_000, NONE), "alice")).isEqualTo(before);
  }

  @Test
  void keysFactor_startsFromTheModels() {
    for (int key = 0; key < 3; key++) {
      answers(300, "k" + key, content("m", 1_000, NONE), 1_504, 1);
    }
    answers(1, "new", content("m", 1, NONE), 5, 1);
    assertThat(costLearner.textRatio(content("m", 1_000, NONE), "new")).isBetween(1.48, 1.51);
  }

  @Test
  void moreKeysThanAreRemembered_theLastCount() {
    for (int key = 0; key < ModelWitnesses.MOST; key++) {
      answers(1, "early" + key, content("m", 32_768, NONE), 7 * 32_768 + 4, 1);
    }
    for (int key = 0; key < ModelWitnesses.MOST; key++) {
      answers(1, "late" + key, content("m", 32_768, NONE), 32_772, 1);
    }
    assertThat(costLearner.textRatio(content("m", 1_000, NONE), "new")).isBetween(0.99, 1.1);
  }

  @ParameterizedTest
  @CsvSource({
    "1000, 512",
    "1, 128",
    "300, 300",
    "1 1000, 256",
    "1000 1 300, 300",
    "10 1000 1000, 1000",
    "10 20 1000 1000, 256"
  })
  void outputOfAModel_isTheMedianOfItsKeys_andWithinHalfAndTwiceOfFew(String of, long expected) {
    String[] each = of.split(" ", -1);
    for (int key = 0; key < each.length; key++) {
      answers(20, "k" + key, content("m", 100, NONE), 104, Long.parseLong(each[key]));
    }
    long output = costLearner.expect(content("m", 100, NONE), "new", 256).outputTokens();
    assertThat(output).isBetween(expected, expected + expected / 8);
  }

  @Test
  void expectationOfAnotherKey_isLoweredToHalfAtMost_byFewKeys() {
    answers(20, "k", content("m", 100, 4_000), 104, 10);
    assertThat(costLearner.expect(content("m", 100, 4_000), "new", 256).outputTokens())
        .isEqualTo(128);
    answers(20, "l", content("m", 100, 4_000), 104, 10);
    answers(20, "n", content("m", 100, 4_000), 104, 10);
    assertThat(costLearner.expect(content("m", 100, 4_000), "new", 256).outputTokens())
        .isEqualTo(10);
  }

  @Test
  void inputThatNoBodyHas_teachesNothingOfText_butItsOutputCounts() {
    RequestContent hidden = content("m", 1_000, NONE).unseenInput(true);
    answers(50, "k", hidden, 7_504, 10);
    answers(50, "k", hidden.tokenized(1_000), 7_504, 10);
    assertThat(costLearner.textRatio(hidden, "k")).isEqualTo(1);
    assertThat(costLearner.textRatio(hidden.tokenized(1_000), "k")).isEqualTo(1);
    assertThat(costLearner.expect(hidden.stating(400), "k", 256))
        .isEqualTo(new Cost(1_004, 10, 400));
  }

  @Test
  void inputOfAChain_isWhatItsLastAnswerStated_elseTheContext() {
    assertThat(costLearner.unseenTokens("alice", "resp_1", 9_000)).isEqualTo(9_000);
    assertThat(costLearner.unseenTokens("alice", null, 9_000)).isEqualTo(9_000);
    costLearner.chained("alice", "resp_1", new TokenUsage(700, 0, 50));
    assertThat(costLearner.unseenTokens("alice", "resp_1", 9_000)).isEqualTo(750);
    costLearner.chained("alice", "resp_1", new TokenUsage(800, 0, 60));
    assertThat(costLearner.unseenTokens("alice", "resp_1", 9_000)).isEqualTo(860);
    assertThat(costLearner.unseenTokens("bob", "resp_1", 9_000)).isEqualTo(9_000);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void keyWithCountlessAnswers_takesNoChainFromOthers() {
    costLearner.chained("alice", "resp_1", new TokenUsage(700, 0, 50));
    for (int answer = 0; answer < 2 * CostLearner.MAX_CHAINS; answer++) {
      costLearner.chained("mallory", "resp_" + answer, new TokenUsage(1, 0, 1));
    }
    assertThat(costLearner.unseenTokens("alice", "resp_1", 9_000)).isEqualTo(750);
    assertThat(costLearner.unseenTokens("mallory", "resp_0", 9_000)).isEqualTo(9_000);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void keyWithCountlessModels_takesNothingFromOthers() {
    CostLearner small = new CostLearner(40, 20);
    RequestContent known = content("m", 1_000, NONE);
    for (int answer = 0; answer < 300; answer++) {
      small.answered(known, "alice", new TokenUsage(1_504, 0, 1));
    }
    for (int model = 0; model < 1_000; model++) {
      small.answered(content("invented" + model, 100, NONE), "mallory", new TokenUsage(800, 0, 1));
    }
    assertThat(small.pairs()).isLessThanOrEqualTo(40);
    assertThat(small.models()).isLessThanOrEqualTo(20);
    assertThat(small.textRatio(known, "alice")).isBetween(1.49, 1.51);
    assertThat(small.textRatio(known, "new")).isBetween(1.49, 1.51);
  }

  @Test
  void pairsAndModels_areBounded() {
    CostLearner small = new CostLearner(20, 10);
    for (int i = 0; i < 20; i++) {
      small.answered(content("m" + i % 10, 100, NONE), "k" + i, new TokenUsage(104, 0, 1));
    }
    assertThat(small.pairs()).isEqualTo(20);
    assertThat(small.models()).isEqualTo(10);
    small.answered(content("new", 100, NONE), "new", new TokenUsage(104, 0, 1));
    assertThat(small.pairs()).isEqualTo(18);
    assertThat(small.models()).isEqualTo(9);
    for (int i = 0; i < CostLearner.MAX_PAIRS + 1; i++) {
      costLearner.answered(content("m" + i, 100, NONE), "k", new TokenUsage(104, 0, 1));
    }
    assertThat(costLearner.pairs()).isLessThanOrEqualTo(CostLearner.MAX_PAIRS);
    assertThat(costLearner.models()).isLessThanOrEqualTo(CostLearner.MAX_MODELS);
  }

  @Test
  void whateverWasLearned_costsAreNeverAboveWhatIsStated_andGrowWithTheInput() {
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 5_000; i++) {
      RequestContent requestContent =
          new RequestContent(
              "m" + random.nextInt(3),
              skewed(random),
              random.nextInt(20),
              random.nextBoolean() ? NONE : skewed(random),
              1 + random.nextInt(4),
              true,
              random.nextBoolean(),
              random.nextBoolean(),
              random.nextBoolean());
      Cost cost = costLearner.expect(requestContent, "k" + random.nextInt(3), 256);
      if (requestContent.statedOutputTokens() != NONE) {
        assertThat(cost.outputTokens()).isLessThanOrEqualTo(cost.statedOutputTokens());
      }
      RequestContent more =
          new RequestContent(
              "m0", requestContent.textTokens() + 1 + skewed(random), 4, NONE, 1, true);
      RequestContent less = new RequestContent("m0", requestContent.textTokens(), 4, NONE, 1, true);
      assertThat(costLearner.expect(more, "k0", 256).inputTokens())
          .isGreaterThanOrEqualTo(costLearner.expect(less, "k0", 256).inputTokens());
      costLearner.answered(
          requestContent,
          "k" + random.nextInt(3),
          new TokenUsage(skewed(random), 0, skewed(random)));
    }
  }

  private static long skewed(SplittableRandom random) {
    return random.nextLong(1L << random.nextInt(1, 41));
  }

  @Test
  void threadsThatLearnAndAskAtOnce_comeToOneResult() throws Exception {
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failed = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int of = t;
      threads.add(
          Thread.ofPlatform()
              .uncaughtExceptionHandler((thread, error) -> failed.add(error))
              .start(() -> learn(of)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failed).isEmpty();
    assertThat(costLearner.expect(content("m", 1_000, NONE), "k", 256))
        .isEqualTo(new Cost(1_004, 12, 0));
    assertThat(costLearner.models()).isEqualTo(1);
  }

  private void learn(int thread) {
    for (int i = 0; i < 500; i++) {
      RequestContent requestContent = content("m", 1_000, NONE);
      costLearner.answered(requestContent, "k", new TokenUsage(1_004, 0, 12));
      costLearner.answered(requestContent, "k" + thread, new TokenUsage(1_004, 0, 12));
      assertThat(costLearner.expect(requestContent, "k", 256).inputTokens()).isEqualTo(1_004);
    }
  }

  @Test
  void answersCutAtTheirMaximum_lowerNoMaximum_andTeachNothingOfThoseWithoutOne() {
    CostLearner costLearner = new CostLearner();
    RequestContent stated = new RequestContent("m", 10, 0, 20, 1, true);
    for (int answer = 0; answer < 100; answer++) {
      costLearner.answered(stated, "k", new TokenUsage(10, 0, 20));
    }
    RequestContent generous = new RequestContent("m", 10, 0, 500, 1, true);
    assertThat(costLearner.expect(generous, "k", 256).outputTokens()).isEqualTo(500);
    RequestContent unsaid = new RequestContent("m", 10, 0, RequestContent.UNSTATED, 1, true);
    assertThat(costLearner.expect(unsaid, "k", 256).outputTokens()).isEqualTo(256);
  }

  @Test
  void fewAnswersCut_restStillLowersTheMaximum() {
    CostLearner costLearner = new CostLearner();
    RequestContent stated = new RequestContent("m", 10, 0, 100, 1, true);
    for (int answer = 0; answer < 100; answer++) {
      costLearner.answered(stated, "k", new TokenUsage(10, 0, answer % 20 == 0 ? 100 : 7));
    }
    assertThat(costLearner.expect(stated, "k", 256).outputTokens()).isEqualTo(7);
  }

  @Test
  void sizeOfARequest_isItsTextAndAllElse() {
    answers(20, "k", new RequestContent("m", 100, 5_000, NONE, 1, true), 5_100, 5);
    answers(20, "k", new RequestContent("m", 100, 0, NONE, 1, true), 100, 12);
    RequestContent text = new RequestContent("m", 5_100, 0, NONE, 1, true);
    assertThat(costLearner.expect(text, "k", 256).outputTokens()).isEqualTo(5);
  }
}
