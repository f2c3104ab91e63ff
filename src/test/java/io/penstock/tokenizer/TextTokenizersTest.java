package io.penstock.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.knuddels.jtokkit.api.EncodingType;
import io.penstock.cost.RequestContent;
import io.penstock.fake.PatientWaits;
import io.penstock.json.Utf8Counter;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

class TextTokenizersTest {
  private static final String WORDS = " The penstock holds the water until the turbine has room.";
  private static TextTokenizers tokenizers;

  @BeforeAll
  static void load() {
    tokenizers = new TextTokenizers();
    tokenizers.atOnce(request("gpt-4o", "x"));
    tokenizers.atOnce(request("gpt-4", "x"));
    PatientWaits.await().until(() -> tokenizers.ready("gpt-4o") && tokenizers.ready("gpt-4"));
  }

  @AfterAll
  static void close() {
    tokenizers.close();
  }

  private static TokenizerInput request(@Nullable String model, @Nullable CharSequence text) {
    long estimate = text == null ? 7 : TokenEstimate.tokens(Utf8Counter.bytes(text));
    RequestContent requestContent =
        new RequestContent(model, estimate, 4, RequestContent.UNSTATED, 1, true);
    return new TokenizerInput(requestContent, text);
  }

  private static RequestContent atOnce(String model, @Nullable CharSequence text) {
    return Objects.requireNonNull(tokenizers.atOnce(request(model, text)));
  }

  @ParameterizedTest
  @CsvSource({
    "gpt-4o, O200K_BASE",
    "gpt-4o-mini-2024-07-18, O200K_BASE",
    "chatgpt-4o-latest, O200K_BASE",
    "gpt-4.1-nano, O200K_BASE",
    "gpt-5, O200K_BASE",
    "gpt-5.1, O200K_BASE",
    "o1-mini, O200K_BASE",
    "o3, O200K_BASE",
    "o4-mini, O200K_BASE",
    "ft:gpt-4o:acme:name:id, O200K_BASE",
    "gpt-4, CL100K_BASE",
    "gpt-4-turbo, CL100K_BASE",
    "gpt-3.5-turbo, CL100K_BASE",
    "gpt-35-turbo, CL100K_BASE",
    "text-embedding-3-large, CL100K_BASE",
    "text-embedding-ada-002, CL100K_BASE",
    "claude-sonnet-4,",
    "gpt-40,",
    "o365,",
    "o,",
    "'',",
    "text-embedding-ada-001,"
  })
  void model_hasTheTableOfTheLongestNameItBeginsWith(String model, @Nullable EncodingType table) {
    assertThat(OpenAiModels.table(model)).isEqualTo(table);
  }

  @ParameterizedTest
  @CsvSource({
    "gpt-4o, hello world, 2",
    "gpt-4, hello world, 2",
    "gpt-4o, '', 0",
    "gpt-4o, <|endoftext|>, 7",
    "gpt-4, <|endoftext|>, 7"
  })
  void shortText_isCountedWhereItIs(String model, String text, long tokens) {
    RequestContent requestContent = atOnce(model, text);
    assertThat(requestContent.textTokens()).isEqualTo(tokens);
    assertThat(requestContent.tokenized()).isTrue();
    assertThat(requestContent.otherTokens()).isEqualTo(4);
  }

  @Test
  void modelOrTextThatIsNotKnown_keepsTheRuleOfThumb() {
    assertThat(atOnce("claude", "hello world"))
        .isEqualTo(request("claude", "hello world").content());
    assertThat(atOnce("gpt-4o", null)).isEqualTo(request("gpt-4o", null).content());
    TokenizerInput nameless = request(null, "hello world");
    assertThat(tokenizers.atOnce(nameless)).isEqualTo(nameless.content());
  }

  @Test
  void longText_isNotCountedAtOnce() {
    String most = "a b ".repeat(TextTokenizers.AT_ONCE / 4);
    assertThat(tokenizers.atOnce(request("gpt-4o", most))).isNotNull();
    assertThat(tokenizers.atOnce(request("gpt-4o", most + "c"))).isNull();
  }

  @Test
  void longText_isCountedInPieces_asItWouldBeWhole() {
    String text = WORDS.repeat(1 + TextTokenizers.PIECE * 4 / WORDS.length());
    long whole = text.length() / WORDS.length() * atOnce("gpt-4o", WORDS).textTokens();
    StepVerifier.create(tokenizers.later(request("gpt-4o", text)))
        .assertNext(
            requestContent ->
                assertThat(requestContent.textTokens()).isCloseTo(whole, within(whole / 100)))
        .verifyComplete();
  }

  @Test
  void veryLongText_isSampledAndScaledUp() {
    String half = WORDS.repeat(TextTokenizers.PIECE * TextTokenizers.PIECES / WORDS.length());
    String text = half + "é1 ".repeat(half.length() / 3);
    long pieces =
        tokenizers.counted(request("gpt-4o", half)).textTokens()
            + tokenizers.counted(request("gpt-4o", text.substring(half.length()))).textTokens();
    long sampled = tokenizers.counted(request("gpt-4o", text)).textTokens();
    assertThat(sampled).isCloseTo(pieces, within(pieces / 20));
  }

  @Test
  void textCutOff_isScaledToWhatTheBodyHeld() {
    String text = WORDS.repeat(1 + TextTokenizers.LONGEST / WORDS.length());
    RequestContent twice =
        new RequestContent("gpt-4o", text.length() / 2, 0, RequestContent.UNSTATED, 1, true);
    TokenizerInput request = new TokenizerInput(twice, text);
    long whole = text.length() / WORDS.length() * atOnce("gpt-4o", WORDS).textTokens();
    assertThat(tokenizers.counted(request).textTokens()).isCloseTo(2 * whole, within(whole / 10));
  }

  @Test
  void whileTheTableIsNotThere_theRuleOfThumbCounts() throws Exception {
    Scheduler one = Schedulers.newBoundedElastic(1, 1, "one");
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    try (TextTokenizers busy = new TextTokenizers(one)) {
      one.schedule(
          () -> {
            begun.countDown();
            await(free);
          });
      begun.await();
      TokenizerInput request = request("gpt-4o", "hello world");
      assertThat(busy.atOnce(request)).isEqualTo(request.content());
      // loading the table took the only place in the queue
      StepVerifier.create(busy.later(request)).expectNext(request.content()).verifyComplete();
      TokenizerInput other = request("gpt-4", "hello world");
      assertThat(busy.atOnce(other)).isEqualTo(other.content());
      free.countDown();
      PatientWaits.await().until(() -> busy.ready("gpt-4o"));
      busy.atOnce(other); // there was no room to load its table, so loading is tried again
      PatientWaits.await().until(() -> busy.ready("gpt-4"));
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
