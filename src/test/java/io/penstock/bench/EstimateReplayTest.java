package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import io.penstock.cost.Cost;
import io.penstock.cost.CostLearner;
import io.penstock.cost.RequestContent;
import io.penstock.cost.TokenUsage;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Sends 5,000 requests of one key and model, one after the other, and measures how far their
 * expected cost is from their usage after the first 200. The provider's count is made by a
 * tokenizer that the gateway does not use; the gateway starts with the rule of thumb.
 */
class EstimateReplayTest {
  private static final int MANY = 5_000;
  private static final int FIRST = 200;
  private static final int TOKENS_A_MESSAGE = 4;

  /** Sums of reservations and usage, and the number of outputs within the expectation. */
  private static final class Tally {
    private final double[] errors = new double[MANY - FIRST];
    private long within;
    private long reserved;
    private long used;

    void add(int at, Cost expected, TokenUsage tokenUsage) {
      double off = (double) Math.abs(expected.inputTokens() - tokenUsage.inputTokens());
      errors[at] = off / (double) tokenUsage.inputTokens();
      within += tokenUsage.outputTokens() <= expected.outputTokens() ? 1 : 0;
      reserved += expected.totalTokens();
      used += tokenUsage.totalTokens();
    }

    double p90Error() {
      double[] sorted = errors.clone();
      Arrays.sort(sorted);
      return sorted[(int) Math.ceil(0.9 * sorted.length) - 1];
    }

    double coverage() {
      return (double) within / errors.length;
    }

    double ratio() {
      return (double) reserved / (double) used;
    }

    @Override
    public String toString() {
      return "input p90 error %.2f %%, output within %.2f %%, reserved ÷ used %.4f"
          .formatted(100 * p90Error(), 100 * coverage(), ratio());
    }
  }

  private static Tally replay(List<Cost> sizes, EncodingType provider, long seed) throws Exception {
    return replay(sizes, provider, seed, EnglishText.read());
  }

  private static Tally replay(
      List<Cost> sizes, EncodingType provider, long seed, EnglishText englishText) {
    Encoding truth = Encodings.newLazyEncodingRegistry().getEncoding(provider);
    CostLearner costLearner = new CostLearner();
    SplittableRandom random = new SplittableRandom(seed);
    Tally tally = new Tally();
    for (int at = 0; at < MANY; at++) {
      Cost size = sizes.get(at);
      String text = englishText.slice(Math.toIntExact(4 * size.inputTokens()), random);
      TokenUsage tokenUsage =
          new TokenUsage(
              truth.countTokensOrdinary(text) + TOKENS_A_MESSAGE, 0, size.outputTokens());
      long bytes = text.getBytes(StandardCharsets.UTF_8).length;
      long stated = random.nextInt(3) == 0 ? 4_096 : RequestContent.UNSTATED;
      RequestContent content =
          new RequestContent("m", Math.ceilDiv(bytes, 4L), TOKENS_A_MESSAGE, stated, 1, true);
      if (at >= FIRST) {
        tally.add(at - FIRST, costLearner.expect(content, "k", 256), tokenUsage);
      }
      costLearner.answered(content, "k", tokenUsage);
    }
    return tally;
  }

  @ParameterizedTest
  @EnumSource(names = {"R50K_BASE", "P50K_BASE"})
  void conversations_areExpectedAsTheyTurnOut(EncodingType provider) throws Exception {
    List<Cost> sizes = ConversationSizes.sizes(MANY, new SplittableRandom(1));
    Tally tally = replay(sizes, provider, 1);
    System.out.println("replay of " + MANY + ", " + provider + ": " + tally);
    assertThat(tally.p90Error()).as("p90 of the input's error").isLessThanOrEqualTo(0.10);
    assertThat(tally.coverage()).as("answers within what was expected").isBetween(0.87, 0.93);
    assertThat(tally.ratio()).as("reserved ÷ used").isLessThanOrEqualTo(1.15);
  }

  /**
   * A single factor for each key and model cannot describe texts with different numbers of tokens
   * for each byte: the accuracy promised for conversations, 10 %, does not hold here, and the test
   * prints the deviation.
   */
  @Test
  void proseTablesAndCodeMixed_areExpectedLessClosely() throws Exception {
    List<Cost> sizes = ConversationSizes.sizes(MANY, new SplittableRandom(1));
    Tally tally = replay(sizes, EncodingType.R50K_BASE, 1, EnglishText.mixed());
    System.out.println("replay of " + MANY + ", mixed text: " + tally);
    assertThat(tally.p90Error()).isLessThanOrEqualTo(0.15);
    assertThat(tally.coverage()).isBetween(0.87, 0.93);
  }

  /**
   * If the length of an answer does not depend on its question, only its quantile can be known, and
   * reserving that has a price: 424 tokens for a mean of 211 here, (1,155 + 424) ÷ (1,155 + 211) =
   * 1.156.
   */
  @Test
  void answersThatQuestionsTellNothingOf_areCoveredAllTheSame() throws Exception {
    SplittableRandom random = new SplittableRandom(9);
    List<Cost> sizes = random.ints(MANY).mapToObj(any -> RequestSizes.draw(random)).toList();
    Tally tally = replay(sizes, EncodingType.R50K_BASE, 9);
    System.out.println("replay of " + MANY + ", drawn apart: " + tally);
    assertThat(tally.p90Error()).isLessThanOrEqualTo(0.10);
    assertThat(tally.coverage()).isBetween(0.87, 0.93);
    assertThat(tally.ratio()).isLessThanOrEqualTo(1.18);
  }
}
