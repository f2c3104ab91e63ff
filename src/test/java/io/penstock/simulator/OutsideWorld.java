package io.penstock.simulator;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.dispatch.CallEnd;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.TicketRequest;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.dispatch.WaitPatience;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.Upstream;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outside world of the core: clients, upstreams and operators. */
final class OutsideWorld {
  private static final Refusal FAILED =
      Refusal.of(RefusalReason.UPSTREAM_UNREACHABLE, "the upstream closed without an answer");

  private final Simulation simulation;
  private final SimWorld world;
  private final SimScenario simScenario;
  private final FailedAttempts attempts;
  private final SimCaches caches;
  private final SimProvider provider;
  private int left;
  private boolean busy;

  OutsideWorld(Simulation simulation) {
    this.simulation = simulation;
    this.world = simulation.world();
    this.simScenario = world.scenario();
    this.caches = simScenario.caches;
    this.provider = new SimProvider(world, simulation.oracle().seen());
    this.left = simScenario.tickets;
    this.attempts = new FailedAttempts(simulation, this);
  }

  SimProvider provider() {
    return provider;
  }

  void begin() {
    simulation.at(world.now(), this::arrive);
    double span = simScenario.tickets / simScenario.perSecond;
    for (int each = 0; simScenario.reloads && each < 4; each++) {
      simulation.at(world.now() + simScenario.seconds(span), simulation::reload);
    }
    new UpstreamOutages(simulation).begin(span);
    provider.begin(span);
    if (simScenario.cancels) {
      new SimOperators(simulation).begin(span);
    }
    for (int each = 0; simScenario.pauses && each < 3; each++) {
      simulation.at(world.now() + simScenario.seconds(span), this::pause);
    }
  }

  private void pause() {
    List<SimEndpoint> live = simulation.oracle().live();
    SimEndpoint endpoint = live.get(simScenario.random.nextInt(live.size()));
    if (!endpoint.paused) {
      simulation.pause(endpoint, true);
      simulation.at(world.now() + simScenario.seconds(40), () -> simulation.pause(endpoint, false));
    }
  }

  private void arrive() {
    busy = simScenario.chance(0.03) != busy;
    int together = simScenario.chance(0.1) ? 1 + simScenario.random.nextInt(12) : 1;
    for (int each = 0; each < together && left > 0; each++) {
      left--;
      submit();
    }
    if (left > 0) {
      double mean = SimScenario.SECOND / (simScenario.perSecond * (busy ? 8 : 1));
      simulation.at(world.now() + simScenario.around(mean), this::arrive);
    }
  }

  /** Returns the client of a request without a key: three of four requests are of one client. */
  private String client() {
    return left % 4 == 0 ? "rare" : "frequent";
  }

  private void submit() {
    List<SimEndpoint> live = simulation.oracle().live();
    SimEndpoint picked = live.get(simScenario.random.nextInt(live.size()));
    SimEndpoint endpoint = simScenario.below > 0 ? enter(picked.spec.entry().path()) : picked;
    WaitPatience waitPatience = patience();
    SimKeys.Key key = world.keys().pick();
    TicketRequest drawn =
        RequestFixture.of(model(), simScenario.cost())
            .bytes(simScenario.random.nextInt(5_000))
            .patience(waitPatience)
            .priority(simScenario.priority())
            .flow(simScenario.flow())
            .account(key == null ? null : key.account())
            .tenant(key == null ? client() : key.account().name())
            .made();
    SimPrompt prompt =
        caches.prompt(
            drawn,
            key == null ? null : key.account().name(),
            endpoint.spec.upstreams(),
            world.now());
    TicketRequest ticketRequest = prompt == null ? drawn : prompt.ask();
    boolean warms = ticketRequest.cacheUse().sharedPrefix() != null;
    if (fair(endpoint) || warms) {
      simulation.drain(); // else the oracle could not know when its flow comes back
    }
    SimTicket ticket =
        new SimTicket(
            world.nextArrival(),
            endpoint,
            ticketRequest,
            key,
            world.keys().model(ticketRequest.model()),
            world.now(),
            deadline(waitPatience, endpoint.endpoint.spec()),
            refusesAbove(waitPatience, endpoint.endpoint.spec()));
    ticket.prompt = prompt;
    simulation.oracle().submitted(ticket);
    ParkedTicket parkedTicket =
        endpoint.endpoint.submit(
            world.fault() == InjectedFault.ONE_FLOW ? oneFlow(ticketRequest) : ticketRequest);
    ticket.parkedTicket = parkedTicket;
    if (parkedTicket.outcome() instanceof TicketOutcome.Granted
        && simScenario.cancels
        && simScenario.chance(0.03)) {
      simulation.oracle().returned(ticket);
      ticket.clientGone = true;
      parkedTicket.cancel(); // gone before the outcome was delivered
      return;
    }
    parkedTicket.whenDecided(ticketOutcome -> decided(ticket, ticketOutcome));
    if (warms) {
      simulation.drain(); // others with the same beginning may come at this very instant
    }
    if (simScenario.cancels && simScenario.chance(0.15)) {
      long after = simScenario.chance(0.3) ? 0 : simScenario.seconds(20);
      simulation.at(world.now() + after, () -> leave(ticket));
    }
    if (simScenario.cancels && simScenario.chance(0.02)) {
      leave(ticket);
    }
  }

  /** Sends a request to a path below the given one, where it stays for a while. */
  private SimEndpoint enter(String path) {
    String below = path + "/d" + simScenario.random.nextInt(simScenario.below);
    Endpoint entered = world.registry().enter(below);
    if (entered == null) {
      throw new InvariantViolation("nobody serves " + below);
    }
    SimEndpoint endpoint = simulation.oracle().entered(below, entered);
    simulation.at(
        world.now() + (simScenario.chance(0.5) ? 0 : simScenario.seconds(20)),
        () -> {
          simulation.oracle().left(endpoint);
          if (world.fault() != InjectedFault.NEVER_LEFT || simScenario.chance(0.9)) {
            entered.leave();
          }
        });
    return endpoint;
  }

  private static boolean fair(SimEndpoint endpoint) {
    return endpoint.ranking.fair != null;
  }

  private static TicketRequest oneFlow(TicketRequest ticketRequest) {
    return RequestFixture.of(ticketRequest.model(), ticketRequest.cost())
        .bytes(ticketRequest.bytes())
        .patience(ticketRequest.patience())
        .account(ticketRequest.sender().account())
        .models(ticketRequest.sender().models())
        .made();
  }

  private @Nullable String model() {
    if (simScenario.chance(0.03)) {
      return simScenario.chance(0.5) ? null : "unheard-of";
    }
    return simScenario.models.get(simScenario.random.nextInt(simScenario.models.size()));
  }

  private WaitPatience patience() {
    if (!simScenario.deadlines || simScenario.chance(0.5)) {
      return WaitPatience.DEFAULT;
    }
    long timeout = simScenario.chance(0.5) ? WaitPatience.UNSTATED : simScenario.seconds(60);
    long client =
        simScenario.undisturbed || simScenario.chance(0.5)
            ? Long.MAX_VALUE
            : simScenario.chance(0.1) ? 0 : simScenario.seconds(60);
    return new WaitPatience(simScenario.chance(0.1) ? 0 : timeout, client);
  }

  private static long refusesAbove(WaitPatience waitPatience, EndpointSpec spec) {
    long own = timeout(waitPatience, spec);
    boolean client =
        waitPatience.timeoutNanos() != 0 && waitPatience.clientNanos() != Long.MAX_VALUE;
    return !client || (own > 0 && own < waitPatience.clientNanos())
        ? own
        : Math.max(1, waitPatience.clientNanos());
  }

  private static long timeout(WaitPatience waitPatience, EndpointSpec spec) {
    return waitPatience.timeoutNanos() < 0
        ? spec.waiting().queueTimeoutNanos()
        : waitPatience.timeoutNanos();
  }

  private long deadline(WaitPatience waitPatience, EndpointSpec spec) {
    long[] waits = {
      waitPatience.clientNanos(), timeout(waitPatience, spec), spec.waiting().maxWaitNanos(),
    };
    long longest = waits[0];
    longest =
        waits[1] == 0 || spec.waiting().estimateOnly() ? longest : Math.min(longest, waits[1]);
    longest = waits[2] == 0 ? longest : Math.min(longest, waits[2]);
    return longest == Long.MAX_VALUE ? longest : world.now() + longest;
  }

  /** Cancels a ticket by its client, whatever its stage. */
  private void leave(SimTicket ticket) {
    ParkedTicket parkedTicket = ticket.parkedTicket;
    if (parkedTicket == null || ticket.clientGone) {
      return;
    }
    simulation.disturbed();
    simulation.note("client gone of", ticket.order);
    TicketSettlement ticketSettlement = ticket.settlement;
    ticket.clientGone = true;
    if (ticketSettlement == null) {
      parkedTicket.cancel();
    } else if (ticket.stage == SimTicket.Stage.RUNNING) {
      TokenUsage tokenUsage = simScenario.chance(0.5) ? usage(ticket, ticket.counted) : null;
      simulation.oracle().settled(ticket, tokenUsage, ticket.counted);
      ticketSettlement.cancelled(CallEnd.answered(tokenUsage, ticket.counted), world.now());
      later(ticket, ticketSettlement);
    }
  }

  void decided(SimTicket ticket, TicketOutcome ticketOutcome) {
    if (!(ticketOutcome instanceof TicketOutcome.Granted(TicketSettlement ticketSettlement))) {
      return;
    }
    ticket.settlement = ticketSettlement;
    if (simScenario.cancels && simScenario.chance(0.03)) {
      ticket.endpoint.waiting.stream()
          .skip(simScenario.random.nextInt(3))
          .findFirst()
          .ifPresent(this::leave);
    }
    if (ticket.clientGone || neverSent()) {
      simulation.disturbed();
      simulation.oracle().returned(ticket);
      ticketSettlement.abandoned(world.now());
      later(ticket, ticketSettlement);
    } else if (neverSent()) {
      simulation.disturbed();
      simulation.oracle().returned(ticket);
      ticketSettlement.refused(FAILED, world.now());
      later(ticket, ticketSettlement);
    } else if (ticketSettlement.upstream() == null) {
      Cost cost = ticket.cost;
      TokenUsage tokenUsage = new TokenUsage(cost.inputTokens(), 0, cost.outputTokens());
      simulation.oracle().settled(ticket, tokenUsage, cost.outputTokens());
      ticketSettlement.permitted(world.now());
      later(ticket, ticketSettlement);
    } else if (!attempts.failsAtOnce(ticket, ticketSettlement)) {
      forward(ticket, ticketSettlement);
    }
  }

  private boolean neverSent() {
    return !simScenario.undisturbed && simScenario.chance(0.02);
  }

  private void forward(SimTicket ticket, TicketSettlement ticketSettlement) {
    long now = world.now();
    if (simScenario.jitter) {
      List<OracleSpend> spends = ticket.spends;
      simulation.at(
          now + simScenario.around(5_000_000),
          () -> {
            ticketSettlement.written(world.now());
            spends.forEach(spend -> spend.written(world.now()));
            simulation.oracle().widened();
          });
    }
    long took = simScenario.chance(0.1) ? 0 : simScenario.seconds(30);
    long output = real(ticket.cost.outputTokens());
    ticket.answer = provider.sent(ticket, caches.used ? realInput(ticket) : 0);
    if (ticket.answer != null) {
      answers(ticket, ticketSettlement, ticket.answer, took);
    }
    long[] pieces = simScenario.random.longs(simScenario.random.nextInt(7), 0, took + 1).toArray();
    Arrays.sort(pieces);
    for (int at = 0; at < pieces.length; at++) {
      long soFar = output * (at + 1) / (pieces.length + 1);
      simulation.at(now + pieces[at], () -> produce(ticket, ticketSettlement, soFar));
    }
    simulation.at(now + took, () -> end(ticket, ticketSettlement, output));
  }

  /** Returns the real usage for an expected one: the same, less or more. */
  private long real(long expected) {
    if (simScenario.exact) {
      return expected;
    }
    return switch (simScenario.random.nextInt(5)) {
      case 0 -> expected;
      case 1 -> simScenario.chance(0.5) ? 0 : simScenario.around(1.0 + expected);
      default -> (long) (expected * simScenario.random.nextDouble(0, 1.2));
    };
  }

  /** Returns the real input: what it has in common with others is known exactly. */
  private long realInput(SimTicket ticket) {
    long common = ticket.prompt == null ? 0 : ticket.prompt.tokens();
    return common + real(ticket.cost.inputTokens() - common);
  }

  /** Schedules the beginning of an answer, and what it states while it runs. */
  private void answers(
      SimTicket ticket, TicketSettlement ticketSettlement, SimAnswer answer, long took) {
    long first = caches.part(took);
    if (caches.chance(0.7)) {
      simulation.at(world.now() + first, () -> began(ticket, ticketSettlement));
    }
    if (answer.states() == SimAnswer.States.EARLY) {
      long later = caches.chance(0.7) ? 0 : caches.part(took - first);
      simulation.at(world.now() + first + later, () -> stated(ticket, ticketSettlement));
    }
  }

  private void began(SimTicket ticket, TicketSettlement ticketSettlement) {
    if (ticket.runs(ticketSettlement)) {
      provider.began(ticket);
      simulation.oracle().began(ticket);
      if (world.fault() != InjectedFault.BEGINNING_UNHEARD) {
        ticketSettlement.answerBegan();
      }
    }
  }

  private void stated(SimTicket ticket, TicketSettlement ticketSettlement) {
    if (ticket.runs(ticketSettlement)) {
      TokenUsage stated = usage(ticket, 0);
      simulation.oracle().stated(ticket, stated);
      if (world.fault() != InjectedFault.INPUT_UNHEARD) {
        ticketSettlement.inputStated(stated, world.now());
      }
      learn(ticket, ticketSettlement, stated);
    }
  }

  private void learn(
      SimTicket ticket, TicketSettlement ticketSettlement, @Nullable TokenUsage tokenUsage) {
    Upstream upstream = ticketSettlement.upstream();
    SimPrompt prompt = ticket.prompt;
    SimAnswer answer = ticket.answer;
    if (tokenUsage != null && upstream != null && prompt != null && answer != null) {
      String id = upstream.spec().id();
      boolean changed = caches.stated(prompt, answer, id, tokenUsage, world.now());
      simulation.cacheLearned(ticket, changed, () -> ticketSettlement.cacheLearned(changed));
    }
  }

  private TokenUsage usage(SimTicket ticket, long counted) {
    SimAnswer answer = ticket.answer;
    if (answer != null) {
      long output = simScenario.exact || simScenario.chance(0.7) ? counted : real(counted);
      return new TokenUsage(answer.input(), answer.read(), answer.written(), output, 0);
    }
    long input = real(ticket.cost.inputTokens());
    long cached = simScenario.chance(0.5) ? 0 : (long) (input * simScenario.random.nextDouble());
    long output = simScenario.exact || simScenario.chance(0.7) ? counted : real(counted);
    return new TokenUsage(input, cached, output);
  }

  private void produce(SimTicket ticket, TicketSettlement ticketSettlement, long soFar) {
    if (ticket.runs(ticketSettlement)) {
      ticket.counted = soFar;
      if (world.fault() == InjectedFault.NOT_PRODUCED) {
        simulation.oracle().produced(ticket, soFar);
        return;
      }
      simulation.oracle().produced(ticket, soFar);
      ticketSettlement.produced(soFar, world.now());
      attempts.failsMeanwhile(ticket, ticketSettlement);
    }
  }

  private void end(SimTicket ticket, TicketSettlement ticketSettlement, long output) {
    if (!ticket.runs(ticketSettlement)) {
      later(ticket, ticketSettlement);
      return;
    }
    if (attempts.failsAtItsEnd(ticket, ticketSettlement)) {
      return;
    }
    if (simScenario.chance(0.05)) {
      simulation.oracle().settled(ticket, null, ticket.counted);
      ticketSettlement.failed(FAILED, ticket.counted, world.now());
      later(ticket, ticketSettlement);
      return;
    }
    boolean never = ticket.answer != null && ticket.answer.states() == SimAnswer.States.NEVER;
    TokenUsage tokenUsage = never || simScenario.chance(0.15) ? null : usage(ticket, output);
    provider.began(ticket);
    if (!ticket.stated) {
      learn(ticket, ticketSettlement, tokenUsage);
    }
    simulation.oracle().settled(ticket, tokenUsage, output);
    if (world.fault() == InjectedFault.NEVER_SETTLED && simScenario.chance(0.05)) {
      return;
    }
    boolean lies = world.fault() == InjectedFault.TOO_LITTLE_USED;
    ticketSettlement.served(lies ? TokenUsage.NONE : tokenUsage, output, world.now());
    later(ticket, ticketSettlement);
  }

  /** Closes a settled ticket again, which must change nothing. */
  void later(SimTicket ticket, TicketSettlement ticketSettlement) {
    long now = world.now();
    if (caches.used && caches.chance(0.2)) {
      ticketSettlement.inputStated(new TokenUsage(99, 0, 0), now);
      ticketSettlement.answerBegan();
    }
    switch (simScenario.random.nextInt(14)) {
      case 0 -> ticketSettlement.served(null, ticket.cost.outputTokens(), now);
      case 1 -> ticketSettlement.cancelled(CallEnd.answered(null, 7), now);
      case 2 -> ticketSettlement.failed(FAILED, 7, now);
      case 3 -> ticketSettlement.abandoned(now);
      case 4 -> ticketSettlement.produced(1_000_000, now);
      case 5 -> ticketSettlement.refused(FAILED, now);
      case 6 -> {
        if (ticketSettlement.retry(AttemptFailure.BROKEN, true, now) != null) {
          throw new InvariantViolation("comes back after its end: " + ticket);
        }
      }
      default -> {}
    }
  }
}
