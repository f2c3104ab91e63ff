package io.penstock.endpoint;

import io.penstock.queue.Discipline;
import io.penstock.queue.Sizes;
import io.penstock.queue.Ticket;
import io.penstock.quota.Account;
import io.penstock.quota.Quota;
import io.penstock.quota.Spend;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A ticket of an endpoint, from its arrival until its outcome is known.
 *
 * <p>The outcome and the receiver of it meet in one atomic reference, in either order. That an
 * outcome was delivered does not yet mean that the receiver handles it: a second atomic field is
 * decided once, either by {@link #take} or by {@link Endpoint#cancel}.
 */
public final class Pending extends Ticket {
  private enum Hand {
    OPEN,
    TAKEN,
    UNWANTED
  }

  private static final VarHandle MEETING;
  private static final VarHandle HAND;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      MEETING = lookup.findVarHandle(Pending.class, "meeting", Object.class);
      HAND = lookup.findVarHandle(Pending.class, "hand", Hand.class);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  private static final Account.Charged NOTHING = new Account.Taken(List.of(), List.of());

  private final Endpoint endpoint;
  private final Ask ask;
  private final long refusesAboveNanos;
  private final @Nullable Shadow shadow;
  private volatile @Nullable Object meeting;
  private volatile Hand hand = Hand.OPEN;

  private final long fallbackNanos;
  private final @Nullable Spends carried;

  /** Charges taken from its caller at arrival; set before any other thread sees the ticket. */
  private @Nullable Spends charged;

  private boolean left;

  /** The quotas and routes it waits for. For the owner of the queue only. */
  Facing facing;

  /**
   * The lane it waits in, or null. Only the owner of the queue sets it; other threads read it to
   * see whether a claim is still valid.
   */
  volatile @Nullable Lane lane;

  /** Whether it waits for a place in the queue. */
  boolean blocked;

  /** Whether its claim on a quota is due to a pace alone. */
  boolean paced;

  /** Whether it was ever listed in the {@link Roll} of waiting tickets. */
  volatile boolean listed;

  /**
   * Why it was not granted, or not sooner; null until that is recorded. Written by the thread that
   * decides it.
   */
  @Nullable Explanation why;

  /** Whether no record of it is to be kept. */
  boolean forgotten;

  /** The record of it that was kept when it was granted, or null. */
  volatile @Nullable Past past;

  /** The sizes with which it counts in the backlog; null when they are its own. */
  @Nullable Sizes counted;

  Pending(Endpoint endpoint, long order, Ask ask, long now) {
    this(endpoint, order, ask, now, null);
  }

  /**
   * Creates a parked ticket.
   *
   * @param shadow the shadow for which the ticket is decided, or null for a request's own ticket
   */
  Pending(Endpoint endpoint, long order, Ask ask, long now, @Nullable Shadow shadow) {
    super(order, ask.cost(), ask.bytes(), now, deadline(ask, endpoint.spec(), now));
    this.endpoint = endpoint;
    this.ask = ask;
    this.shadow = shadow;
    this.refusesAboveNanos = ask.patience().refusesAbove(endpoint.spec());
    this.fallbackNanos = fallback(ask, endpoint.spec(), now);
    this.facing = Facing.of(ask.model(), ask.account());
    this.carried = null;
  }

  /** Creates the ticket of a request that comes back for another attempt. */
  private Pending(Pending before, Facing facing, Spends carried) {
    super(
        before.order(),
        before.cost(),
        before.bytes(),
        before.arrivedNanos(),
        before.deadlineNanos());
    this.endpoint = before.endpoint;
    this.ask = before.ask;
    this.shadow = null;
    this.refusesAboveNanos = 0;
    this.fallbackNanos = facing.widely() ? Ticker.NEVER : before.fallbackNanos;
    this.facing = facing;
    this.carried = carried;
    this.past = before.past;
  }

  /**
   * Returns the ticket with which the request of this granted ticket takes its old place in the
   * queue again.
   *
   * @param avoided the id of the upstream to avoid if another serves the request, or null
   * @param left what stays taken for the request
   */
  Pending again(@Nullable String avoided, Spends left) {
    // An upstream chosen by affinity can be replaced by another; one that alone knows what the
    // request refers to cannot.
    String keptTo = avoided == null ? facing.only() : ask.kept().at();
    return new Pending(this, facing.again(avoided, keptTo), left);
  }

  private static long fallback(Ask ask, EndpointSpec spec, long now) {
    EndpointSpec.Fallback fallback = spec.fallback(ask.model());
    if (fallback == null
        || (ask.models() != null && !ask.models().containsAll(fallback.models()))) {
      return Ticker.NEVER;
    }
    return fallback.afterNanos() > Ticker.NEVER - now ? Ticker.NEVER : now + fallback.afterNanos();
  }

  /** Returns the instant from which fallback models may serve it; NEVER when none may. */
  long fallbackNanos() {
    return fallbackNanos;
  }

  /** Returns what stays taken from its previous attempt, or null for a first attempt. */
  @Nullable Spends carried() {
    return carried;
  }

  /**
   * Charges its caller's account with the expected cost, unless the ticket waits for the account's
   * quotas in the queue.
   */
  Account.Charged charge(long now) {
    Account account = ask.account();
    if (account == null || facing.account() != null) {
      return NOTHING;
    }
    Account.Charged answer = account.charge(ask.model(), this, now);
    if (answer instanceof Account.Taken(List<Quota> givers, List<Spend> spends)
        && !spends.isEmpty()
        && !keep(Spends.charged(givers, spends))) {
      spends.forEach(spend -> spend.giveBack(now));
      givers.forEach(quota -> quota.line().wake());
    }
    return answer;
  }

  /**
   * Notes that its arrival has been handled: if it was not granted, the caller's limits that block
   * it are reported to other regions.
   */
  void came(long now) {
    Account waits = facing.account();
    if (waits != null && shadow == null && state() != State.GRANTED) {
      waits.stayed(ask.model(), cost(), now);
    }
  }

  /** Keeps what was charged; returns false when the ticket no longer waits. */
  private synchronized boolean keep(Spends spends) {
    charged = left ? null : spends;
    return !left;
  }

  /**
   * Marks that it no longer waits and will not be granted. Returns what stays taken for it, or
   * null.
   */
  synchronized @Nullable Spends leave() {
    left = true;
    return taken();
  }

  /**
   * Returns what stays taken for it while it waits, from its arrival or from its previous attempt;
   * or null.
   */
  @Nullable Spends taken() {
    return carried == null ? charged : carried;
  }

  /** Returns the account of its caller, or null when the caller has no limits. */
  @Nullable Account account() {
    return ask.account();
  }

  @Override
  public boolean holds() {
    return carried != null;
  }

  private static long deadline(Ask ask, EndpointSpec spec, long now) {
    long wait = ask.patience().longestWait(spec);
    return wait > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + wait;
  }

  /** Returns the endpoint at which it arrived. */
  public Endpoint endpoint() {
    return endpoint;
  }

  /** Returns the shadow for which it is decided, or null for a request's own ticket. */
  @Nullable Shadow shadow() {
    return shadow;
  }

  /** Returns the origin of its request. */
  public Ask.Origin origin() {
    return ask.origin();
  }

  /**
   * Returns what kept it from going, or from going sooner. Null when nothing did, and when that is
   * not recorded: it is for tickets that were refused or waited for long. To be called once the
   * outcome is known.
   */
  public @Nullable Binding held() {
    Explanation said = why;
    return said == null ? null : said.binds();
  }

  /** Returns the requested model, or null. */
  public @Nullable String model() {
    return ask.model();
  }

  /** Gives it its place in an order. */
  void enter(Discipline<Pending> discipline) {
    discipline.enter(this, ask.priority(), ask.flow().name(), ask.flow().weight());
  }

  /**
   * Returns whether it waits, in the queue or for a place there. For the owner of the queue only.
   */
  boolean waits() {
    return queued() || blocked;
  }

  /**
   * Returns whether it waits or has waited; false when it was decided on arrival. The answer does
   * not depend on its later outcome.
   */
  public boolean waited() {
    return outcome() == null || listed;
  }

  long refusesAboveNanos() {
    return refusesAboveNanos;
  }

  /** Refuses it if it still waits; no effect once it was decided. */
  public void refuse(Refusal refusal) {
    endpoint.atWork((dispatcher, now) -> dispatcher.throwOut(this, refusal, now));
  }

  /** Returns the outcome, or null while there is none. */
  public @Nullable Outcome outcome() {
    return meeting instanceof Outcome outcome ? outcome : null;
  }

  /** Registers {@code receiver}, which is called once with the outcome; at once if it is known. */
  public void whenDecided(Consumer<Outcome> receiver) {
    Object met = MEETING.compareAndExchange(this, null, receiver);
    if (met instanceof Outcome outcome) {
      receiver.accept(outcome);
    }
  }

  /**
   * Accepts the outcome on behalf of the request: the caller will now handle it. Returns false when
   * the ticket was cancelled first; then there is nothing to handle.
   */
  public boolean take() {
    return HAND.compareAndSet(this, Hand.OPEN, Hand.TAKEN);
  }

  /** Marks that nobody will take the outcome; returns false when it was taken already. */
  boolean unwanted() {
    return HAND.compareAndSet(this, Hand.OPEN, Hand.UNWANTED);
  }

  @SuppressWarnings("unchecked") // only whenDecided stores anything else there
  void deliver(Outcome outcome) {
    Object met = MEETING.getAndSet(this, outcome);
    // Endpoint.cancel marks the ticket as unwanted first and looks for an outcome then, so at least
    // one of the two threads sees the other.
    if (hand == Hand.UNWANTED) {
      endpoint.abandon(outcome);
    } else if (met != null) {
      ((Consumer<Outcome>) met).accept(outcome);
    }
  }
}
