package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.pool.AttemptHistory;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class UpstreamsHandlerTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 1_000 * SECOND;
  private static final AttemptHistory FIRST = UpstreamFixture.attempt("m", 1, 0);

  private final UpstreamRegistry upstreamRegistry =
      UpstreamFixture.registry(new LocalLimitSource(), 60 * SECOND);
  private final UpstreamsHandler handler =
      new UpstreamsHandler(
          upstreamRegistry, () -> NOW, Instant.parse("2026-11-21T12:00:00Z")::toEpochMilli);

  private static UpstreamSpec spec(String id, String disabledBecause) {
    return UpstreamSetup.of(id)
        .url("https://user:hidden-1@provider.example:8443/hidden-2?key=hidden-3")
        .apiKey("hidden-4")
        .disabled(disabledBecause.isEmpty() ? null : disabledBecause)
        .headers(Map.of("x-extra", "hidden-5"))
        .models(Map.of("m", "own"))
        .weight(2)
        .limits(0, 1_000, 0, 0)
        .spec();
  }

  private String shown() {
    return OperatorJson.text(handler.views());
  }

  @Test
  void upstreams_areListedById_withoutSecrets() {
    upstreamRegistry.apply(List.of(spec("b", ""), spec("a", "it has no key")), NOW);
    assertThat(shown())
        .isEqualTo(
            """
            [{"id":"a","url":"https://provider.example:8443","health":"disabled",\
            "paused":false,"disabled_because":"it has no key","tried_at":null,\
            "last_error":null,"weight":2,"jitter_ms":0.0,"paused_until":null,"holds":[],"models":["m"],"pools":[]},\
            {"id":"b","url":"https://provider.example:8443","health":"healthy",\
            "paused":false,"disabled_because":null,"tried_at":null,\
            "last_error":null,"weight":2,"jitter_ms":0.0,"paused_until":null,"holds":[],"models":["m"],"pools":[]}]\
            """);
  }

  @Test
  void pools_showWhatIsUsedAndWhatWasLearned() {
    upstreamRegistry.apply(List.of(spec("u", "")), NOW);
    Upstream upstream = Objects.requireNonNull(upstreamRegistry.find("u"));
    Quota pool = upstream.pool("m", NOW);
    List<Charge> charges = new ArrayList<>();
    pool.take(new Cost(100, 50, 0), NOW, charges);
    List<ProviderStatus> standings =
        List.of(new ProviderStatus(LimitMeasure.TOKENS, 700, 350, 30 * SECOND));
    pool.learn(standings, charges, NOW);
    ProviderLesson lesson =
        new ProviderLesson(429, standings, 5 * SECOND, ProviderLesson.ErrorCause.RATE);
    upstream.judge(FIRST, lesson, NOW);
    assertThat(shown())
        .contains(
            "\"last_error\":{\"what\":\"429 rate\",\"at\":\"2026-11-21T12:00:00Z\"}",
            """
            "pools":[{"name":"own","paused_until":"2026-11-21T12:00:05Z","tried_at":null,"utilization":0.5,\
            "utilization_global":0.5,"throttled":1,"limits":[{"measure":"tokens","window_ms":60000,\
            "configured":1000,"effective":700,\
            "lowered_until":"2026-11-21T12:02:00Z","used":100,"used_global":100,"held":50,"remaining":350,\
            "window_start":"2026-11-21T11:59:00Z","learned":{"limit":700,"remaining":350,\
            "reset_at":"2026-11-21T12:00:30Z","drift":0.7143}}]}]\
            """)
        .doesNotContain("hidden");
  }

  @Test
  void pauseOfAWeek_showsItsEndAndTheNextTry() {
    upstreamRegistry.apply(List.of(spec("u", "")), NOW);
    Upstream upstream = Objects.requireNonNull(upstreamRegistry.find("u"));
    ProviderLesson lesson =
        new ProviderLesson(429, List.of(), 604_800 * SECOND, ProviderLesson.ErrorCause.RATE);
    upstream.judge(FIRST, lesson, NOW);
    assertThat(shown())
        .contains(
            "\"paused_until\":\"2026-11-28T12:00:00Z\",\"tried_at\":\"2026-11-21T12:05:00Z\"");
    upstream.retry();
    assertThat(shown()).doesNotContain("2026-11-28").contains("\"health\":\"healthy\"");
  }

  @Test
  void oneOfTwoTenantsIsRefused_itsPauseIsShown() {
    upstreamRegistry.apply(List.of(spec("u", "")), NOW);
    Upstream upstream = Objects.requireNonNull(upstreamRegistry.find("u"));
    upstream.arrived("alice", NOW);
    upstream.judge(
        FIRST, new ProviderLesson(429, List.of(), 5 * SECOND, ProviderLesson.ErrorCause.RATE), NOW);
    assertThat(shown())
        .contains(
            "\"paused_until\":null,\"holds\":[{\"model\":\"own\",\"one_tenant\":true,"
                + "\"paused_until\":\"2026-11-21T12:00:05Z\"}]");
  }

  @Test
  void ceilingLearnedFromRefusals_isShownUntilItIsRaised() {
    upstreamRegistry.apply(List.of(spec("u", "")), NOW);
    Upstream upstream = Objects.requireNonNull(upstreamRegistry.find("u"));
    Quota pool = upstream.pool("m", NOW);
    List<Charge> charges = new ArrayList<>();
    pool.take(Cost.ofInput(700), NOW, new ArrayList<>());
    pool.take(Cost.ofInput(200), NOW, charges);
    pool.learnRefusal(charges, NOW);
    assertThat(shown())
        .contains(
            """
            "configured":1000,"effective":700,"lowered_until":"2026-11-21T12:01:00Z",\
            """,
            """
            "learned":null,"ceiling":{"amount":700,"probing":false,"until":"2026-11-21T12:01:00Z"}}\
            """);
  }

  @Test
  void spentUpstream_isUnhealthyUntilItsTrial() {
    upstreamRegistry.apply(List.of(spec("u", "")), NOW);
    Upstream upstream = Objects.requireNonNull(upstreamRegistry.find("u"));
    upstream.judge(
        FIRST, new ProviderLesson(429, List.of(), -1, ProviderLesson.ErrorCause.SPENT), NOW);
    assertThat(shown())
        .contains(
            "\"health\":\"unhealthy\",\"paused\":false,\"disabled_because\":null,"
                + "\"tried_at\":\"2026-11-21T12:00:01Z\"");
  }
}
