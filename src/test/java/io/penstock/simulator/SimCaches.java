package io.penstock.simulator;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.RequestContent;
import io.penstock.cost.TokenUsage;
import io.penstock.dispatch.CacheForecast;
import io.penstock.dispatch.TicketRequest;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.prefix.Boundary;
import io.penstock.prefix.CacheLearner;
import io.penstock.prefix.PromptPrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The prompts of a world whose providers cache, and what is expected of them. They are drawn by a
 * generator of their own, so that worlds without caches are drawn as before.
 */
final class SimCaches {
  private static final List<Integer> TRUSTS = List.of(0, 5, 20, 20, 50, 100);

  private record Beginning(long fingerprint, long tokens) {}

  /** Whether any prompt is cached in this world. */
  final boolean used;

  /** How long a provider keeps what it has cached, after each use. */
  final int lifetimeSeconds;

  private final SimScenario scenario;
  private final SplittableRandom random;

  /** The generator of what is expected anew, so that all else is drawn as without that. */
  private final SplittableRandom anew;

  private final CacheLearner learner = new CacheLearner();
  private final List<Beginning> beginnings = new ArrayList<>();

  /** Whether the expectations are drawn, and mostly wrong. */
  private final boolean wrong;

  private final boolean warmsUp;
  private final boolean sharesWarmth;
  private final long holdNanos;

  SimCaches(long seed, SimScenario scenario) {
    this.scenario = scenario;
    this.random = new SplittableRandom(seed * 37 + 11);
    this.anew = new SplittableRandom(seed * 41 + 5);
    this.used = random.nextInt(3) == 0 && scenario.forwards();
    this.lifetimeSeconds = 2 + random.nextInt(random.nextBoolean() ? 10 : 120);
    this.wrong = random.nextInt(4) == 0;
    this.warmsUp = random.nextInt(3) > 0;
    this.sharesWarmth = random.nextBoolean();
    this.holdNanos = 1 + random.nextLong(8 * SimScenario.SECOND);
    for (int each = random.nextInt(5); each >= 0; each--) {
      beginnings.add(beginning());
    }
  }

  private Beginning beginning() {
    double mean = scenario.meanTokens * (random.nextInt(4) == 0 ? 20 : 4);
    return new Beginning(random.nextLong(), 1 + (long) (random.nextDouble() * mean));
  }

  boolean chance(double share) {
    return random.nextDouble() < share;
  }

  /** Returns a part of a time, by chance all or nothing of it. */
  long part(long nanos) {
    return chance(0.1) ? 0 : (long) (random.nextDouble() * nanos);
  }

  /** Returns an upstream, in a world with caches often as one that does not count cache reads. */
  UpstreamSpec with(UpstreamSpec spec) {
    if (!used) {
      return spec;
    }
    UpstreamSpec.Budget budget = spec.budget();
    UpstreamSpec.Limits limits = budget.limits();
    boolean free = chance(0.8);
    // Mostly the input is what requests wait for.
    boolean input = free && chance(0.7);
    long itpm =
        input
            ? 1 + (long) (scenario.perWindow() * scenario.meanTokens * random.nextDouble(0.3, 3))
            : limits.itpm();
    long rpm = input && chance(0.7) ? 0 : limits.rpm();
    long tpm = input && chance(0.7) ? 0 : limits.tpm();
    double burst = input && chance(0.7) ? 60 : budget.burstSeconds();
    return UpstreamSetup.like(spec)
        .limits(new UpstreamSpec.Limits(rpm, tpm, itpm, limits.otpm(), 0, limits.concurrency()))
        .charge(free ? ChargeRule.ANTHROPIC : budget.charge())
        .burstSeconds(burst)
        .cacheTrust(TRUSTS.get(random.nextInt(TRUSTS.size())))
        .spec();
  }

  /** Returns a request with a beginning that providers cache; null when it has none. */
  @Nullable SimPrompt prompt(
      TicketRequest drawn, @Nullable String key, List<UpstreamSpec> upstreams, long now) {
    if (!used || chance(0.15)) {
      return null;
    }
    boolean fresh = chance(0.1);
    Beginning beginning = fresh ? beginning() : beginnings.get(random.nextInt(beginnings.size()));
    Cost cost =
        new Cost(
            beginning.tokens() + drawn.cost().inputTokens(),
            drawn.cost().outputTokens(),
            drawn.cost().statedOutputTokens());
    Boundary boundary =
        new Boundary(beginning.fingerprint(), beginning.tokens(), true, lifetimeSeconds);
    CacheLearner.Prompt prompt =
        new CacheLearner.Prompt(
            new RequestContent(
                drawn.model(), cost.inputTokens(), 0, RequestContent.UNSTATED, 1, true),
            new PromptPrefix(List.of(boundary)),
            key == null ? "nobody" : key);
    List<String> ids = upstreams.stream().map(UpstreamSpec::id).toList();
    Cost expected =
        wrong
            ? cost.withCached((long) (random.nextDouble() * cost.inputTokens()))
            : learner.expect(cost, prompt, ids, now);
    long seed = anew.nextLong();
    CacheForecast forecast =
        wrong
            ? (before, at) ->
                before.withCached(
                    new SplittableRandom(seed + at).nextLong(before.inputTokens() + 1))
            : (before, at) -> learner.expect(before, prompt, ids, at);
    return new SimPrompt(
        asking(
            drawn,
            expected,
            new TicketRequest.Origin(null, key, null),
            shared(prompt, boundary, key, ids, now),
            anew.nextInt(5) > 0 ? forecast : null),
        prompt,
        beginning.fingerprint(),
        beginning.tokens());
  }

  private TicketRequest.@Nullable SharedPrefix shared(
      CacheLearner.Prompt prompt,
      Boundary boundary,
      @Nullable String key,
      List<String> ids,
      long now) {
    String model = prompt.content().model();
    if (!warmsUp || model == null) {
      return null;
    }
    // Some are taken for new although they are known.
    Boundary unknown = chance(0.3) ? boundary : learner.shortestNew(prompt, model, ids, now);
    return unknown == null
        ? null
        : new TicketRequest.SharedPrefix(
            sharesWarmth ? null : key, unknown.fingerprint(), holdNanos);
  }

  private static TicketRequest asking(
      TicketRequest drawn,
      Cost cost,
      TicketRequest.Origin origin,
      TicketRequest.@Nullable SharedPrefix sharedPrefix,
      @Nullable CacheForecast forecast) {
    return new TicketRequest(
        drawn.model(),
        cost,
        drawn.bytes(),
        drawn.patience(),
        drawn.flow(),
        drawn.affinity(),
        new TicketRequest.Sender(
            origin,
            Objects.requireNonNullElse(origin.key(), drawn.sender().tenant()),
            drawn.sender().session(),
            null,
            drawn.sender().account(),
            drawn.sender().models(),
            drawn.sender().priority()),
        new TicketRequest.CacheUse(sharedPrefix, forecast));
  }

  /**
   * Learns from the input that the answer to a prompt states. Returns whether other things are
   * expected of waiting prompts because of it.
   */
  boolean stated(SimPrompt prompt, SimAnswer answer, String upstream, TokenUsage usage, long now) {
    String model = prompt.ask().model();
    boolean changed =
        model != null
            && learner.stated(prompt.prompt(), upstream, model, usage, answer.sentAt(), now);
    return changed || (wrong && anew.nextInt(3) == 0);
  }
}
