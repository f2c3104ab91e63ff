package io.penstock.gateway.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.pool.Addition;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.AttemptHistory;
import io.penstock.pool.ProbeResult;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.quota.Charge;
import io.penstock.quota.ProviderStatus;
import io.penstock.quota.Quota;
import io.penstock.sharing.LocalLimitSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class UpstreamLogTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final AttemptHistory FIRST = UpstreamFixture.attempt("m", 0, 1);

  private final Upstream upstream = upstream();
  private final UpstreamLog log = new UpstreamLog();

  private static Upstream upstream() {
    UpstreamRegistry upstreamRegistry = UpstreamFixture.registry(new LocalLimitSource(), WINDOW);
    UpstreamSpec spec =
        UpstreamSetup.of("u").limits(0, 1_000, 0, 0).charge(ChargeRule.OPENAI).spec();
    upstreamRegistry.apply(List.of(spec), 0);
    return Objects.requireNonNull(upstreamRegistry.find("u"));
  }

  private List<String> answered(ProviderLesson lesson, long now) {
    upstream.judge(FIRST, lesson, now);
    return texts(log.lines(upstream, FIRST, lesson, now));
  }

  private List<String> failed(long now) {
    upstream.judge(FIRST, AttemptFailure.BROKEN, "broken", now);
    return texts(log.lines(upstream, FIRST, null, now));
  }

  private static List<String> texts(List<UpstreamLog.Line> lines) {
    return lines.stream().map(line -> (line.bad() ? "- " : "+ ") + line.text()).toList();
  }

  @Test
  void whatChangesNothing_isNotSaid() {
    assertThat(answered(ProviderLesson.silent(200), 0)).isEmpty();
    assertThat(failed(1)).isEmpty();
    assertThat(answered(ProviderLesson.silent(400), 2)).isEmpty();
  }

  @Test
  void upstreamThatFails_isSaidToBeUnhealthyOnce_andOnceToBeHealthyAgain() {
    assertThat(failed(0)).isEmpty();
    assertThat(failed(1)).isEmpty();
    assertThat(failed(2))
        .containsExactly("- upstream u: unhealthy (broken), tried again in 1000 ms");
    assertThat(failed(3)).isEmpty();
    upstream.probed(ProbeResult.WORKS, null, 2 * SECOND);
    assertThat(answered(ProviderLesson.silent(200), 3 * SECOND))
        .containsExactly("+ upstream u: healthy again");
    assertThat(answered(ProviderLesson.silent(200), 4 * SECOND)).isEmpty();
  }

  @Test
  void pause_isSaidWhenItBegins_andByTheFirstAnswerAfterIt() {
    ProviderLesson enough =
        new ProviderLesson(429, List.of(), 5 * SECOND, ProviderLesson.ErrorCause.RATE);
    assertThat(answered(enough, 0)).containsExactly("- upstream u, m: paused for 5000 ms");
    assertThat(answered(enough, SECOND)).isEmpty();
    assertThat(answered(ProviderLesson.silent(200), 7 * SECOND))
        .containsExactly("+ upstream u, m: not paused any more");
    assertThat(answered(ProviderLesson.silent(200), 8 * SECOND)).isEmpty();
  }

  @Test
  void limitThatTheProviderLowers_isSaidOnce_andWhenItIsRestored() {
    ProviderStatus stated = new ProviderStatus(LimitMeasure.TOKENS, 700, 600, WINDOW);
    learn(stated, 0);
    ProviderLesson lesson =
        new ProviderLesson(
            200, List.of(stated), ProviderStatus.UNSTATED, ProviderLesson.ErrorCause.OTHER);
    assertThat(answered(lesson, 1))
        .containsExactly(
            "- upstream u, m: its provider states a limit of 700 tokens, lower than the 1000"
                + " configured: that holds");
    assertThat(answered(lesson, 2)).isEmpty();
    ProviderStatus whole = new ProviderStatus(LimitMeasure.TOKENS, 1_000, 900, WINDOW);
    learn(whole, SECOND);
    ProviderLesson restored =
        new ProviderLesson(
            200, List.of(whole), ProviderStatus.UNSTATED, ProviderLesson.ErrorCause.OTHER);
    assertThat(answered(restored, SECOND + 1))
        .containsExactly("+ upstream u, m: the limit of tokens is as configured again, 1000");
    assertThat(answered(restored, SECOND + 2)).isEmpty();
  }

  @Test
  void limitLearnedFromRefusals_isSaidWheneverItChanges() {
    Quota pool = upstream.pool("m", 0);
    assertThat(pool.take(Cost.ofInput(700), 0, new ArrayList<>())).isTrue();
    refused(pool, 0);
    assertThat(refusedLines(0))
        .contains(
            "- upstream u, m: its provider refused a request and states no limit: at most 700"
                + " tokens instead of the 1000 configured for 60000 ms");
    assertThat(answered(ProviderLesson.silent(200), 61 * SECOND))
        .contains("+ upstream u, m: the limit of tokens is as configured again, 1000");
    refused(pool, 62 * SECOND);
    assertThat(refusedLines(62 * SECOND))
        .contains(
            "- upstream u, m: its provider refused a request and states no limit: at most 700"
                + " tokens instead of the 1000 configured for 120000 ms");
    assertThat(answered(ProviderLesson.silent(200), 183 * SECOND))
        .contains("+ upstream u, m: the learned limit of tokens is raised to 750 for 119000 ms");
    assertThat(answered(ProviderLesson.silent(200), 184 * SECOND)).isEmpty();
  }

  private void refused(Quota pool, long now) {
    List<Charge> charges = new ArrayList<>();
    assertThat(pool.take(Cost.ofInput(10), now, charges)).isTrue();
    pool.learnRefusal(charges, now);
    charges.forEach(charge -> charge.rejected(now));
  }

  private List<String> refusedLines(long now) {
    return answered(
        new ProviderLesson(429, List.of(), SECOND, ProviderLesson.ErrorCause.RATE), now);
  }

  private void learn(ProviderStatus providerStatus, long now) {
    Quota pool = upstream.pool("m", now);
    List<Charge> charges = new ArrayList<>();
    assertThat(pool.take(Cost.ofInput(10), now, charges)).isTrue();
    pool.learn(List.of(providerStatus), charges, now);
  }

  @Test
  void usageThatIsRefused_isSaidOnce_andWhenItIsAskedForAgain() {
    AttemptHistory without = UpstreamFixture.without("m", Addition.STREAM_USAGE);
    upstream.judge(without, ProviderLesson.silent(200), 0);
    assertThat(texts(log.lines(upstream, FIRST, ProviderLesson.silent(200), 0))).isEmpty();
    upstream.judge(without, ProviderLesson.silent(200), 0);
    assertThat(texts(log.lines(upstream, FIRST, ProviderLesson.silent(200), 0)))
        .containsExactly(
            "- upstream u, m: it refuses stream_options, which the gateway adds: streams are not"
                + " asked for their usage for 600000 ms, and their output is counted as it passes");
    assertThat(answered(ProviderLesson.silent(200), SECOND)).isEmpty();
    assertThat(
            texts(
                log.lines(
                    upstream,
                    UpstreamFixture.attempt("other", 0, 1),
                    ProviderLesson.silent(200),
                    SECOND)))
        .isEmpty();
    assertThat(
            texts(
                log.lines(
                    upstream,
                    UpstreamFixture.attempt("other", 0, 1),
                    ProviderLesson.silent(200),
                    600 * SECOND)))
        .isEmpty();
    assertThat(answered(ProviderLesson.silent(200), 600 * SECOND))
        .containsExactly("+ upstream u, m: streams are asked for their usage again");
    assertThat(answered(ProviderLesson.silent(200), 601 * SECOND)).isEmpty();
  }

  @Test
  void maximumThatIsRefused_isSaid_becauseALimitMayNotHold() {
    AttemptHistory without = UpstreamFixture.without("m", Addition.MAX_TOKENS);
    upstream.judge(without, ProviderLesson.silent(200), 0);
    upstream.judge(without, ProviderLesson.silent(200), 0);
    assertThat(texts(log.lines(upstream, FIRST, ProviderLesson.silent(200), 0)))
        .containsExactly(
            "- upstream u, m: it refuses max_tokens, which the gateway adds: for 600000 ms the"
                + " max_output_tokens of keys is written under another name, or where there is"
                + " none, not at all");
    assertThat(answered(ProviderLesson.silent(200), 600 * SECOND))
        .containsExactly("+ upstream u, m: max_tokens is added again");
  }

  @Test
  void nameOfAModel_cannotForgeALine() {
    ProviderLesson enough =
        new ProviderLesson(429, List.of(), SECOND, ProviderLesson.ErrorCause.RATE);
    AttemptHistory attemptHistory = UpstreamFixture.attempt("m\nERROR forged", 0, 0);
    upstream.judge(attemptHistory, enough, 0);
    assertThat(
            texts(log.lines(upstream, UpstreamFixture.attempt("m\nERROR forged", 0, 1), enough, 0)))
        .containsExactly("- upstream u, m\\u000aERROR forged: paused for 1000 ms");
  }

  @Test
  void pauseOfAWeek_saysWhenItIsTried() {
    assertThat(
            answered(
                new ProviderLesson(
                    429, List.of(), 604_800 * SECOND, ProviderLesson.ErrorCause.RATE),
                0))
        .containsExactly(
            "- upstream u, m: paused for 604800000 ms, tried by one request in 300000 ms");
  }

  @Test
  void oneTenantIsRefused_itsPauseIsSaidOnce() {
    upstream.arrived("alice", 0);
    ProviderLesson lesson =
        new ProviderLesson(429, List.of(), 5 * SECOND, ProviderLesson.ErrorCause.RATE);
    assertThat(answered(lesson, 0))
        .containsExactly("- upstream u: m: the requests of one tenant are paused for 5000 ms");
    assertThat(answered(lesson, SECOND)).isEmpty();
    assertThat(answered(lesson, 9 * SECOND)).hasSize(1);
  }
}
