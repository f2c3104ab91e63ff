package io.penstock.cost;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpectationsTest {
  private static final long NONE = Content.UNSTATED;

  private final Expectations expectations = new Expectations();

  private static Content content(String model, long text, long stated) {
    return new Content(model, text, 4, stated, 1, true);
  }

  private void answers(int many, String key, Content content, long input, long output) {
    for (int i = 0; i < many; i++) {
      expectations.answered(content, key, new Usage(input, 0, output));
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
    Content content = new Content("m", text, other, stated, answers, generates);
    assertThat(expectations.expect(content, "k", 256))
        .isEqualTo(new Cost(input, output, statedInAll))
        .isEqualTo(content.expected(256));
  }

  @Test
  void twentyAnswers_lowerTheStatedMaximum_andReplaceTheDefault() {
    Content stated = content("m", 100, 4_000);
    answers(19, "k", stated, 104, 10);
    assertThat(expectations.expect(stated, "k", 256)).isEqualTo(new Cost(104, 4_000, 4_000));
    answers(1, "k", stated, 104, 10);
    assertThat(expectations.expect(stated, "k", 256)).isEqualTo(new Cost(104, 10, 4_000));
    assertThat(expectations.expect(content("m", 100, NONE), "k", 256))
        .isEqualTo(new Cost(104, 10, 0));
    assertThat(expectations.expect(content("m", 100, 3), "k", 256)).isEqualTo(new Cost(104, 3, 3));
  }

  @Test
  void answersOfOneRequest_areLearnedOneByOne() {
    Content three = new Content("m", 100, 4, 1_000, 3, true);
    answers(20, "k", three, 104, 29);
    assertThat(expectations.expect(three, "k", 256)).isEqualTo(new Cost(104, 30, 3_000));
    assertThat(expectations.expect(content("m", 100, NONE), "k", 256).outputTokens()).isEqualTo(10);
  }

  @Test
  void sizeNotSeenEnough_isExpectedAsAnyOfTheKey_thenAsAnyOfTheModel() {
    answers(20, "k", content("m", 100, NONE), 104, 5);
    answers(20, "other", content("m", 5_000, NONE), 5_004, 14);
    answers(19, "k", content("m", 5_000, NONE), 5_004, 12);
    Content large = content("m", 5_000, NONE);
    // 20 × 5 and 19 × 12: rank 36 of 39
    assertThat(expectations.expect(large, "k", 256).outputTokens()).isEqualTo(12);
    assertThat(expectations.expect(content("m", 100, NONE), "k", 256).outputTokens()).isEqualTo(5);
    answers(1, "k", large, 5_004, 12);
    assertThat(expectations.expect(large, "k", 256).outputTokens()).isEqualTo(12);
    assertThat(expectations.expect(large, "new", 256).outputTokens()).isEqualTo(14);
    assertThat(expectations.expect(content("n", 5_000, NONE), "k", 256).outputTokens())
        .isEqualTo(256);
  }

  @Test
  void textOfAModel_isCorrectedByItsUsage() {
    answers(200, "k", content("m", 1_000, NONE), 1_304, 1);
    Cost cost = expectations.expect(content("m", 2_000, NONE), "other", 256);
    assertThat(cost.inputTokens()).isBetween(2_595L, 2_604L);
    assertThat(expectations.expect(content("n", 2_000, NONE), "k", 256).inputTokens())
        .isEqualTo(2_004);
  }

  @Test
  void tokenizerAndRuleOfThumb_areCorrectedApart() {
    Content counted = content("m", 1, NONE).tokenized(1_000);
    answers(200, "k", counted, 2_004, 1);
    assertThat(expectations.textRatio(counted)).isBetween(1.99, 2.0);
    assertThat(expectations.textRatio(content("m", 1_000, NONE))).isEqualTo(1);
    answers(200, "k", content("m", 1_000, NONE), 504, 1);
    assertThat(expectations.textRatio(content("m", 1_000, NONE))).isBetween(0.5, 0.505);
    assertThat(expectations.textRatio(counted)).isBetween(1.99, 2.0);
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
    Content content = new Content("m", text, other, NONE, 1, true);
    answers(50, "k", content, used, 1);
    assertThat(expectations.textRatio(content)).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"1000, 4, 8004", "1000, 4, 129", "1000, 250, 2000"})
  void usageJustWithin_teaches(long text, long other, long used) {
    Content content = new Content("m", text, other, NONE, 1, true);
    answers(50, "k", content, used, 1);
    assertThat(expectations.textRatio(content)).isNotEqualTo(1);
  }

  @Test
  void requestWithoutAModel_teachesNothing() {
    Content nameless = new Content(null, 1_000, 0, NONE, 1, true);
    answers(50, "k", nameless, 2_000, 1);
    assertThat(expectations.expect(nameless, "k", 256)).isEqualTo(new Cost(1_000, 256, 0));
    assertThat(expectations.models()).isZero();
  }

  @Test
  void embeddings_teachTheTextAlone() {
    Content embedding = new Content("e", 1_000, 0, NONE, 1, false);
    answers(50, "k", embedding, 1_500, 0);
    assertThat(expectations.expect(embedding, "k", 256).inputTokens()).isBetween(1_480L, 1_500L);
    assertThat(expectations.pairs()).isZero();
  }

  @Test
  void pairsAndModels_areBounded() {
    Expectations small = new Expectations(20, 10);
    for (int i = 0; i < 20; i++) {
      small.answered(content("m" + i % 10, 100, NONE), "k" + i, new Usage(104, 0, 1));
    }
    assertThat(small.pairs()).isEqualTo(20);
    assertThat(small.models()).isEqualTo(10);
    small.answered(content("new", 100, NONE), "new", new Usage(104, 0, 1));
    assertThat(small.pairs()).isEqualTo(18);
    assertThat(small.models()).isEqualTo(9);
    for (int i = 0; i < Expectations.MAX_PAIRS + 1; i++) {
      expectations.answered(content("m" + i, 100, NONE), "k", new Usage(104, 0, 1));
    }
    assertThat(expectations.pairs()).isLessThanOrEqualTo(Expectations.MAX_PAIRS);
    assertThat(expectations.models()).isLessThanOrEqualTo(Expectations.MAX_MODELS);
  }

  @Test
  void whateverWasLearned_costsAreNeverAboveWhatIsStated_andGrowWithTheInput() {
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 5_000; i++) {
      Content content =
          new Content(
              "m" + random.nextInt(3),
              skewed(random),
              random.nextInt(20),
              random.nextBoolean() ? NONE : skewed(random),
              1 + random.nextInt(4),
              true,
              random.nextBoolean());
      Cost cost = expectations.expect(content, "k" + random.nextInt(3), 256);
      if (content.statedOutputTokens() != NONE) {
        assertThat(cost.outputTokens()).isLessThanOrEqualTo(cost.statedOutputTokens());
      }
      Content more = new Content("m0", content.textTokens() + 1 + skewed(random), 4, NONE, 1, true);
      Content less = new Content("m0", content.textTokens(), 4, NONE, 1, true);
      assertThat(expectations.expect(more, "k0", 256).inputTokens())
          .isGreaterThanOrEqualTo(expectations.expect(less, "k0", 256).inputTokens());
      expectations.answered(
          content, "k" + random.nextInt(3), new Usage(skewed(random), 0, skewed(random)));
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
    assertThat(expectations.expect(content("m", 1_000, NONE), "k", 256))
        .isEqualTo(new Cost(1_004, 12, 0));
    assertThat(expectations.models()).isEqualTo(1);
  }

  private void learn(int thread) {
    for (int i = 0; i < 500; i++) {
      Content content = content("m", 1_000, NONE);
      expectations.answered(content, "k", new Usage(1_004, 0, 12));
      expectations.answered(content, "k" + thread, new Usage(1_004, 0, 12));
      assertThat(expectations.expect(content, "k", 256).inputTokens()).isEqualTo(1_004);
    }
  }

  @Test
  void answersCutAtTheirMaximum_lowerNoMaximum_andTeachNothingOfThoseWithoutOne() {
    Expectations expectations = new Expectations();
    Content stated = new Content("m", 10, 0, 20, 1, true);
    for (int answer = 0; answer < 100; answer++) {
      expectations.answered(stated, "k", new Usage(10, 0, 20));
    }
    Content generous = new Content("m", 10, 0, 500, 1, true);
    assertThat(expectations.expect(generous, "k", 256).outputTokens()).isEqualTo(500);
    Content unsaid = new Content("m", 10, 0, Content.UNSTATED, 1, true);
    assertThat(expectations.expect(unsaid, "k", 256).outputTokens()).isEqualTo(256);
  }

  @Test
  void fewAnswersCut_restStillLowersTheMaximum() {
    Expectations expectations = new Expectations();
    Content stated = new Content("m", 10, 0, 100, 1, true);
    for (int answer = 0; answer < 100; answer++) {
      expectations.answered(stated, "k", new Usage(10, 0, answer % 20 == 0 ? 100 : 7));
    }
    assertThat(expectations.expect(stated, "k", 256).outputTokens()).isEqualTo(7);
  }

  @Test
  void sizeOfARequest_isItsTextAndAllElse() {
    answers(20, "k", new Content("m", 100, 5_000, NONE, 1, true), 5_100, 5);
    answers(20, "k", new Content("m", 100, 0, NONE, 1, true), 100, 12);
    Content text = new Content("m", 5_100, 0, NONE, 1, true);
    assertThat(expectations.expect(text, "k", 256).outputTokens()).isEqualTo(5);
  }
}
