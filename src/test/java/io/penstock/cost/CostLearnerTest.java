package io.penstock.cost;

import static org.assertj.core.api.Assertions.assertThat;

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
    "1099511627776, 5, 1099511627776, 9, true, 1099511627776, 1099511627776, 1099511627776"
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
        .isEqualTo(new Cost(input, output, statedInAll))
        .isEqualTo(requestContent.expected(256));
  }

  @Test
  void twentyAnswers_lowerTheStatedMaximum_andReplaceTheDefault() {
    RequestContent stated = content("m", 100, 4_000);
    answers(19, "k", stated, 104, 10);
    assertThat(costLearner.expect(stated, "k", 256)).isEqualTo(new Cost(104, 4_000, 4_000));
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
    assertThat(costLearner.expect(large, "new", 256).outputTokens()).isEqualTo(14);
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
    assertThat(costLearner.textRatio(counted)).isBetween(1.99, 2.0);
    assertThat(costLearner.textRatio(content("m", 1_000, NONE))).isEqualTo(1);
    answers(200, "k", content("m", 1_000, NONE), 504, 1);
    assertThat(costLearner.textRatio(content("m", 1_000, NONE))).isBetween(0.5, 0.505);
    assertThat(costLearner.textRatio(counted)).isBetween(1.99, 2.0);
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
    assertThat(costLearner.textRatio(requestContent)).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"1000, 4, 8004", "1000, 4, 129", "1000, 250, 2000"})
  void usageJustWithin_teaches(long text, long other, long used) {
    RequestContent requestContent = new RequestContent("m", text, other, NONE, 1, true);
    answers(50, "k", requestContent, used, 1);
    assertThat(costLearner.textRatio(requestContent)).isNotEqualTo(1);
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
    assertThat(costLearner.pairs()).isZero();
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
