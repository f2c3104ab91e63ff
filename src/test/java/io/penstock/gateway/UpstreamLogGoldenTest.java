package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.fake.FakeTicker;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.LogLines;
import io.penstock.gateway.forward.UpstreamLog;
import io.penstock.gateway.forward.VerdictSource;
import io.penstock.gateway.request.UpstreamComplaints;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the lines that are logged about upstreams with records of them. */
@Tag(GoldenRecords.TAG)
class UpstreamLogGoldenTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final AttemptHistory FIRST = UpstreamFixture.attempt("m", 0, 1);

  private static Upstream upstream() {
    UpstreamRegistry upstreamRegistry = UpstreamFixture.registry(new LocalLimitSource(), WINDOW);
    UpstreamSpec spec =
        UpstreamSetup.of("u").limits(0, 1_000, 0, 0).charge(ChargeRule.OPENAI).spec();
    upstreamRegistry.apply(List.of(spec), 0);
    return Objects.requireNonNull(upstreamRegistry.find("u"));
  }

  private static void learn(Upstream upstream, ProviderStatus providerStatus, long now) {
    Quota pool = upstream.pool("m", now);
    List<Charge> charges = new ArrayList<>();
    assertThat(pool.take(Cost.ofInput(10), now, charges)).isTrue();
    pool.learn(List.of(providerStatus), charges, now);
  }

  private static ProviderLesson lesson(ProviderStatus providerStatus) {
    return new ProviderLesson(
        200, List.of(providerStatus), ProviderStatus.UNSTATED, ProviderLesson.ErrorCause.OTHER);
  }

  @Test
  void changesOfAnUpstream_areSaidAsRecorded() {
    try (LogLines lines = LogLines.of("io.penstock.upstream")) {
      Upstream upstream = upstream();
      VerdictSource log = VerdictSource.UPSTREAM.telling(new UpstreamLog());
      for (int each = 0; each < 3; each++) {
        log.failed(upstream, FIRST, AttemptFailure.BROKEN, "broken", each);
      }
      upstream.probed(ProbeResult.WORKS, null, 2 * SECOND);
      log.answered(upstream, FIRST, ProviderLesson.silent(200), 3 * SECOND);
      log.answered(
          upstream,
          FIRST,
          new ProviderLesson(429, List.of(), 5 * SECOND, ProviderLesson.ErrorCause.RATE),
          4 * SECOND);
      log.answered(upstream, FIRST, ProviderLesson.silent(200), 10 * SECOND);
      ProviderStatus lower = new ProviderStatus(LimitMeasure.TOKENS, 700, 600, WINDOW);
      learn(upstream, lower, 11 * SECOND);
      log.answered(upstream, FIRST, lesson(lower), 11 * SECOND + 1);
      ProviderStatus whole = new ProviderStatus(LimitMeasure.TOKENS, 1_000, 900, WINDOW);
      learn(upstream, whole, 12 * SECOND);
      log.answered(upstream, FIRST, lesson(whole), 12 * SECOND + 1);
      AttemptHistory without = UpstreamFixture.without("m", Addition.STREAM_USAGE);
      log.answered(upstream, without, ProviderLesson.silent(200), 13 * SECOND);
      log.answered(upstream, without, ProviderLesson.silent(200), 13 * SECOND);
      log.answered(upstream, FIRST, ProviderLesson.silent(200), 700 * SECOND);
      GoldenRecords.check("logs/upstream.txt", lines.text());
    }
  }

  @Test
  void complaintsAboutAnswers_areSaidAsRecorded() {
    FakeTicker ticker = new FakeTicker();
    try (LogLines lines = LogLines.of("io.penstock.upstream.answers")) {
      UpstreamComplaints complaints = new UpstreamComplaints(ticker);
      complaints.about("u", "it was to count tokens, but it answered 500");
      complaints.about("u", "its usage is negative");
      ticker.set(60 * SECOND);
      complaints.about("u", "its usage is negative");
      GoldenRecords.check("logs/upstream-answers.txt", lines.text());
    }
  }
}
