package io.penstock.endpoint;

import io.penstock.queue.DimensionSizes;
import io.penstock.queue.QueueDiscipline;
import io.penstock.queue.Ticket;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.Charge;
import io.penstock.quota.Quota;
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
public final class ParkedTicket extends Ticket {
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
      MEETING = lookup.findVarHandle(ParkedTicket.class, "meeting", Object.class);
      HAND = lookup.findVarHandle(ParkedTicket.class, "hand", Hand.class);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  private static final CallerAccount.Charged NOTHING =
      new CallerAccount.Taken(List.of(), List.of());

  private final Endpoint endpoint;
  private final TicketRequest ticketRequest;
  private final long refusesAboveNanos;
  private final @Nullable ShadowTicket shadowTicket;
  private volatile @Nullable Object meeting;
  private volatile Hand hand = Hand.OPEN;

  private final long fallbackNanos;
  private final @Nullable TicketCharges carried;

  /** Charges taken from its caller at arrival; set before any other thread sees the ticket. */
  private @Nullable TicketCharges charged;

  private boolean left;

  /** The quotas and routes it waits for. For the owner of the queue only. */
  LaneKey facing;

  /**
   * The lane it waits in, or null. Only the owner of the queue sets it; other threads read it to
   * see whether a claim is still valid.
   */
  volatile @Nullable Lane lane;

  /** Whether it waits for a place in the queue. */
  boolean blocked;

  /** Whether its claim on a quota is due to a pace alone. */
  boolean paced;

  /** Whether it was ever listed in the {@link TicketDirectory} of waiting tickets. */
  volatile boolean listed;

  /**
   * Why it was not granted, or not sooner; null until that is recorded. Written by the thread that
   * decides it.
   */
  @Nullable WaitExplanation why;

  /** Whether no record of it is to be kept. */
  boolean forgotten;

  /** The record of it that was kept when it was granted, or null. */
  volatile @Nullable PastTicket past;

  /** The sizes with which it counts in the backlog; null when they are its own. */
  @Nullable DimensionSizes counted;

  ParkedTicket(Endpoint endpoint, long order, TicketRequest ticketRequest, long now) {
    this(endpoint, order, ticketRequest, now, null);
  }

  /**
   * Creates a parked ticket.
   *
   * @param shadowTicket the shadow for which the ticket is decided, or null for a request's own
   *     ticket
   */
  ParkedTicket(
      Endpoint endpoint,
      long order,
      TicketRequest ticketRequest,
      long now,
      @Nullable ShadowTicket shadowTicket) {
    super(
        order,
        ticketRequest.cost(),
        ticketRequest.bytes(),
        now,
        deadline(ticketRequest, endpoint.spec(), now));
    this.endpoint = endpoint;
    this.ticketRequest = ticketRequest;
    this.shadowTicket = shadowTicket;
    this.refusesAboveNanos = ticketRequest.patience().refusesAbove(endpoint.spec());
    this.fallbackNanos = fallback(ticketRequest, endpoint.spec(), now);
    this.facing = LaneKey.of(ticketRequest.model(), ticketRequest.account());
    this.carried = null;
  }

  /** Creates the ticket of a request that comes back for another attempt. */
  private ParkedTicket(ParkedTicket before, LaneKey laneKey, TicketCharges carried) {
    super(
        before.order(),
        before.cost(),
        before.bytes(),
        before.arrivedNanos(),
        before.deadlineNanos());
    this.endpoint = before.endpoint;
    this.ticketRequest = before.ticketRequest;
    this.shadowTicket = null;
    this.refusesAboveNanos = 0;
    this.fallbackNanos = laneKey.widely() ? Ticker.NEVER : before.fallbackNanos;
    this.facing = laneKey;
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
  ParkedTicket again(@Nullable String avoided, TicketCharges left) {
    // An upstream chosen by affinity can be replaced by another; one that alone knows what the
    // request refers to cannot.
    String keptTo = avoided == null ? facing.only() : ticketRequest.kept().at();
    return new ParkedTicket(this, facing.again(avoided, keptTo), left);
  }

  private static long fallback(TicketRequest ticketRequest, EndpointSpec spec, long now) {
    EndpointSpec.Fallback fallback = spec.fallback(ticketRequest.model());
    if (fallback == null
        || (ticketRequest.models() != null
            && !ticketRequest.models().containsAll(fallback.models()))) {
      return Ticker.NEVER;
    }
    return fallback.afterNanos() > Ticker.NEVER - now ? Ticker.NEVER : now + fallback.afterNanos();
  }

  /** Returns the instant from which fallback models may serve it; NEVER when none may. */
  long fallbackNanos() {
    return fallbackNanos;
  }

  /** Returns what stays taken from its previous attempt, or null for a first attempt. */
  @Nullable TicketCharges carried() {
    return carried;
  }

  /**
   * Charges its caller's account with the expected cost, unless the ticket waits for the account's
   * quotas in the queue.
   */
  CallerAccount.Charged charge(long now) {
    CallerAccount callerAccount = ticketRequest.account();
    if (callerAccount == null || facing.account() != null) {
      return NOTHING;
    }
    CallerAccount.Charged answer = callerAccount.charge(ticketRequest.model(), this, now);
    if (answer instanceof CallerAccount.Taken(List<Quota> givers, List<Charge> spends)
        && !spends.isEmpty()
        && !keep(TicketCharges.charged(givers, spends))) {
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
    CallerAccount waits = facing.account();
    if (waits != null && shadowTicket == null && state() != State.GRANTED) {
      waits.stayed(ticketRequest.model(), cost(), now);
    }
  }

  /** Keeps what was charged; returns false when the ticket no longer waits. */
  private synchronized boolean keep(TicketCharges ticketCharges) {
    charged = left ? null : ticketCharges;
    return !left;
  }

  /**
   * Marks that it no longer waits and will not be granted. Returns what stays taken for it, or
   * null.
   */
  synchronized @Nullable TicketCharges leave() {
    left = true;
    return taken();
  }

  /**
   * Returns what stays taken for it while it waits, from its arrival or from its previous attempt;
   * or null.
   */
  @Nullable TicketCharges taken() {
    return carried == null ? charged : carried;
  }

  /** Returns the account of its caller, or null when the caller has no limits. */
  @Nullable CallerAccount account() {
    return ticketRequest.account();
  }

  @Override
  public boolean holds() {
    return carried != null;
  }

  private static long deadline(TicketRequest ticketRequest, EndpointSpec spec, long now) {
    long wait = ticketRequest.patience().longestWait(spec);
    return wait > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + wait;
  }

  /** Returns the endpoint at which it arrived. */
  public Endpoint endpoint() {
    return endpoint;
  }

  /** Returns the shadow for which it is decided, or null for a request's own ticket. */
  @Nullable ShadowTicket shadow() {
    return shadowTicket;
  }

  /** Returns the origin of its request. */
  public TicketRequest.Origin origin() {
    return ticketRequest.origin();
  }

  /**
   * Returns what kept it from going, or from going sooner. Null when nothing did, and when that is
   * not recorded: it is for tickets that were refused or waited for long. To be called once the
   * outcome is known.
   */
  public @Nullable BindingLimit held() {
    WaitExplanation said = why;
    return said == null ? null : said.binds();
  }

  /** Returns the requested model, or null. */
  public @Nullable String model() {
    return ticketRequest.model();
  }

  /** Gives it its place in an order. */
  void enter(QueueDiscipline<ParkedTicket> discipline) {
    discipline.enter(
        this, ticketRequest.priority(), ticketRequest.flow().name(), ticketRequest.flow().weight());
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
  public @Nullable TicketOutcome outcome() {
    return meeting instanceof TicketOutcome ticketOutcome ? ticketOutcome : null;
  }

  /** Registers {@code receiver}, which is called once with the outcome; at once if it is known. */
  public void whenDecided(Consumer<TicketOutcome> receiver) {
    Object met = MEETING.compareAndExchange(this, null, receiver);
    if (met instanceof TicketOutcome ticketOutcome) {
      receiver.accept(ticketOutcome);
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
  void deliver(TicketOutcome ticketOutcome) {
    Object met = MEETING.getAndSet(this, ticketOutcome);
    // Endpoint.cancel marks the ticket as unwanted first and looks for an outcome then, so at least
    // one of the two threads sees the other.
    if (hand == Hand.UNWANTED) {
      endpoint.abandon(ticketOutcome);
    } else if (met != null) {
      ((Consumer<TicketOutcome>) met).accept(ticketOutcome);
    }
  }
}
