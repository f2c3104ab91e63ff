package io.penstock.dispatch;

import io.penstock.queue.DimensionSizes;
import io.penstock.queue.QueueDiscipline;
import io.penstock.queue.Ticket;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.Charge;
import io.penstock.quota.Quota;
import io.penstock.quota.WaitList;
import io.penstock.refusal.Refusal;
import io.penstock.tenant.PromiseHolder;
import io.penstock.time.Ticker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A ticket of an endpoint, from its arrival until its outcome is known.
 *
 * <p>The outcome and the receiver of it meet in one atomic reference, in either order. That an
 * outcome was delivered does not yet mean that the receiver handles it: a second atomic field is
 * decided once, either by {@link #take} or by {@link #cancel}.
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

  private static final CallerAccount.ChargeResult NOTHING =
      new CallerAccount.Taken(List.of(), List.of());

  private final TicketListener listener;
  private final TicketRequest ticketRequest;
  private final TicketTerms terms;
  private final @Nullable ShadowTicket shadowTicket;
  private volatile @Nullable Object meeting;
  private volatile Hand hand = Hand.OPEN;

  private final @Nullable TicketCharges carried;

  /** Charges taken from its caller at arrival; set before any other thread sees the ticket. */
  private @Nullable TicketCharges charged;

  private boolean left;

  /** The quotas and routes it waits for. For the owner of the queue only. */
  private LaneKey laneKey;

  /** The lane it waits in, or null; only the owner of the queue sets it. */
  private volatile WaitList.@Nullable Waiter lane;

  /** Whether it waits for a place in the queue. */
  private boolean blocked;

  /** The requests for which one warms a cache; set by the owner of the queue before any grant. */
  private volatile @Nullable WarmupGroup warmup;

  /** Whether its claim on a quota is due to a pace alone. */
  boolean claimsForPace;

  private volatile boolean listed;

  private volatile @Nullable TicketNote note;

  /** That of its request while a repeat may take over its place, or null. */
  private volatile @Nullable Long fingerprint;

  /** The sizes with which it counts in the backlog; null when they are its own. */
  @Nullable DimensionSizes counted;

  /**
   * Creates a parked ticket.
   *
   * @param shadowTicket the shadow for which the ticket is decided, or null for a request's own
   *     ticket
   */
  public ParkedTicket(
      TicketListener listener,
      long order,
      TicketRequest ticketRequest,
      TicketTerms terms,
      long now,
      @Nullable ShadowTicket shadowTicket) {
    super(order, ticketRequest.cost(), ticketRequest.bytes(), now, terms.deadlineNanos());
    this.listener = listener;
    this.ticketRequest = ticketRequest;
    this.shadowTicket = shadowTicket;
    this.terms = terms;
    this.laneKey = LaneKey.of(ticketRequest.model(), ticketRequest.sender().account());
    this.fingerprint = ticketRequest.sender().fingerprint();
    this.carried = null;
  }

  /** Creates the ticket of a request that takes over the place that another one has left. */
  public ParkedTicket(ParkedTicket lost, TicketRequest ticketRequest, TicketTerms terms) {
    this(lost.listener, lost.order(), ticketRequest, terms, lost.arrivedNanos(), null);
    keepSkipsOf(lost);
  }

  /**
   * Creates the ticket of a request that comes back for another attempt. It relies on no cache: the
   * attempt may have failed because there was none.
   */
  private ParkedTicket(ParkedTicket before, LaneKey laneKey, TicketCharges carried) {
    super(
        before.order(),
        before.cost().withCached(0),
        before.bytes(),
        before.arrivedNanos(),
        before.deadlineNanos());
    this.listener = before.listener;
    this.ticketRequest = before.ticketRequest;
    this.shadowTicket = null;
    this.terms =
        new TicketTerms(
            before.deadlineNanos(),
            0,
            laneKey.withFallbacks() ? Ticker.NEVER : before.fallbackNanos());
    this.laneKey = laneKey;
    this.carried = carried;
    this.warmup = before.warmup;
    this.fingerprint = before.fingerprint;
    keepSkipsOf(before);
    TicketNote known = before.note;
    this.note = known == null ? null : known.next();
  }

  private ParkedTicket(ParkedTicket original, long deadlineNanos) {
    super(
        original.order(),
        original.cost(),
        original.bytes(),
        original.arrivedNanos(),
        deadlineNanos);
    this.listener = original.listener;
    this.ticketRequest = original.ticketRequest;
    this.shadowTicket = null;
    this.terms = original.terms;
    this.laneKey = original.laneKey;
    this.carried = original.carried == null ? null : new TicketCharges(List.of());
    this.counted = original.counted;
  }

  /** Returns a copy that is in no queue and keeps nothing of what is taken for this one. */
  ParkedTicket dryCopy(long deadlineNanos) {
    return new ParkedTicket(this, deadlineNanos);
  }

  /**
   * Returns the ticket with which the request of this granted ticket takes its old place in the
   * queue again.
   *
   * @param avoided the ids of the upstreams to avoid if another serves the request
   * @param widened whether fallback models may serve it from now on, if any may at all
   * @param left what stays taken for the request
   */
  ParkedTicket nextAttempt(Set<String> avoided, boolean widened, TicketCharges left) {
    // An upstream chosen by affinity can be replaced by another; one that alone knows what the
    // request refers to cannot.
    LaneKey next =
        avoided.isEmpty()
            ? laneKey.forRetry(avoided, laneKey.onlyUpstream(), laneKey.byAffinity())
            : laneKey.forRetry(avoided, ticketRequest.affinity().at(), false);
    boolean widens = widened && fallbackNanos() != Ticker.NEVER;
    return new ParkedTicket(this, widens ? next.widened() : next, left);
  }

  /**
   * Returns the ticket with which the request of this granted ticket goes to the same upstream once
   * more.
   *
   * @param left what stays taken for the request
   */
  ParkedTicket repeatedAt(String upstream, TicketCharges left) {
    return new ParkedTicket(
        this, laneKey.forRetry(Set.of(), upstream, ticketRequest.affinity().at() == null), left);
  }

  /** Returns whether only one upstream knows what the request refers to. */
  boolean isBound() {
    return ticketRequest.affinity().at() != null;
  }

  /** Returns the instant from which fallback models may serve it; NEVER when none may. */
  long fallbackNanos() {
    return terms.fallbackNanos();
  }

  /**
   * Returns the instant from which it no longer waits for the upstream to which affinity keeps it;
   * NEVER when it always does.
   */
  long keptUntilNanos() {
    long waitNanos = ticketRequest.affinity().waitNanos();
    return waitNanos == Ticker.NEVER
        ? Ticker.NEVER
        : Math.min(arrivedNanos() + waitNanos, deadlineNanos());
  }

  @Override
  public PromiseHolder client() {
    return ticketRequest.sender().client();
  }

  /** Returns the fingerprint of the request that may take over its place, or null for none. */
  public @Nullable Long fingerprint() {
    return fingerprint;
  }

  /** Lets a request with that fingerprint take over its place if it is lost while it waits. */
  public void fingerprint(@Nullable Long ofRequest) {
    fingerprint = ofRequest;
  }

  /** Returns what stays taken from its previous attempt, or null for a first attempt. */
  @Nullable
  public TicketCharges carried() {
    return carried;
  }

  /**
   * Charges its caller's account with the expected cost, unless the ticket waits for the account's
   * quotas in the queue.
   */
  public CallerAccount.ChargeResult charge(long now) {
    CallerAccount callerAccount = ticketRequest.sender().account();
    Refusal revoked = revoked();
    if (revoked != null) {
      return new CallerAccount.Denied(revoked);
    }
    if (callerAccount == null || laneKey.account() != null) {
      return NOTHING;
    }
    CallerAccount.ChargeResult answer = callerAccount.charge(ticketRequest.model(), this, now);
    if (answer instanceof CallerAccount.Taken(List<Quota> givers, List<Charge> charges)
        && !charges.isEmpty()
        && !keep(TicketCharges.charged(givers, charges))) {
      charges.forEach(spend -> spend.giveBack(now));
      givers.forEach(quota -> quota.waitList().wake());
    }
    return answer;
  }

  /**
   * Notes that its arrival has been handled: if it was not granted, the caller's limits that block
   * it are reported to other regions.
   */
  public void came(long now) {
    CallerAccount waits = laneKey.account();
    if (waits != null && shadowTicket == null && state() != State.GRANTED) {
      waits.reportDenials(ticketRequest.model(), cost(), now);
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
  synchronized @Nullable public TicketCharges leave() {
    left = true;
    return takenCharges();
  }

  /**
   * Returns what stays taken for it while it waits, from its arrival or from its previous attempt;
   * or null.
   */
  @Nullable
  public TicketCharges takenCharges() {
    return carried == null ? charged : carried;
  }

  /** Returns the account of its caller, or null when the caller has no limits. */
  @Nullable
  public CallerAccount account() {
    return ticketRequest.sender().account();
  }

  @Override
  public boolean keepsCharges() {
    return carried != null;
  }

  /** Returns its refusal because its caller's key was revoked, or null. */
  public @Nullable Refusal revoked() {
    CallerAccount callerAccount = account();
    return callerAccount == null ? null : callerAccount.revoked();
  }

  /** Returns the path of the endpoint at which it arrived. */
  public String path() {
    return listener.path();
  }

  /** Returns the endpoint, which is informed of what happens to the ticket. */
  TicketListener listener() {
    return listener;
  }

  /** Returns how long it may wait, and for what. */
  TicketTerms terms() {
    return terms;
  }

  /** Returns the quotas and routes it waits for. For the owner of the queue only. */
  public LaneKey laneKey() {
    return laneKey;
  }

  /**
   * Sets the quotas and routes it waits for. If it may go to another upstream than the one with the
   * beginning of its prompt, nothing is expected to be read from a cache any more. For the owner of
   * the queue only, while it is not in the queue.
   */
  public void setLaneKey(LaneKey next) {
    laneKey = next;
    if (missesHolder()) {
      expectCached(0);
    }
  }

  /**
   * Returns whether it may go to another upstream than the one with the beginning of its prompt.
   */
  private boolean missesHolder() {
    String holder = ticketRequest.affinity().holder();
    return holder != null && !holder.equals(laneKey.onlyUpstream());
  }

  /**
   * Returns how much of its input is expected to be read from a cache by what is known now; {@code
   * cost} has what was expected before. For the owner of the queue only.
   */
  long cachedTokens(long now) {
    CacheForecast forecast = ticketRequest.cacheUse().forecast();
    return forecast == null || carried != null || missesHolder()
        ? cost().cachedTokens()
        : forecast.expect(cost(), now).cachedTokens();
  }

  /**
   * Expects so much of its input to be read from a cache. For the owner of the queue only, while it
   * is not in the queue.
   */
  void expectReads(long tokens) {
    expectCached(tokens);
  }

  /** Returns the lane it waits in, or null; any thread may ask whether a claim is still valid. */
  WaitList.@Nullable Waiter lane() {
    return lane;
  }

  /** Sets the lane it waits in. For the owner of the queue only. */
  void lane(WaitList.@Nullable Waiter next) {
    lane = next;
  }

  /** Returns whether it waits for a place in the queue. */
  public boolean blocked() {
    return blocked;
  }

  void block(boolean blocks) {
    blocked = blocks;
  }

  /** Marks that it was listed in the directory of waiting tickets. */
  public void list() {
    listed = true;
  }

  /** Returns whether it was ever listed in the directory of waiting tickets. */
  public boolean listed() {
    return listed;
  }

  /** Returns what is kept with it for questions by operators, or null. */
  @Nullable
  public TicketNote note() {
    return note;
  }

  public void note(TicketNote next) {
    note = next;
  }

  /** Returns the shadow for which it is decided, or null for a request's own ticket. */
  @Nullable
  public ShadowTicket shadow() {
    return shadowTicket;
  }

  /** Returns the origin of its request. */
  public TicketRequest.Origin origin() {
    return ticketRequest.sender().origin();
  }

  /** Returns whose share it uses of what all senders share. */
  Object tenant() {
    return ticketRequest.sender().tenant();
  }

  /** Returns the new beginning of its prompt, or null. */
  TicketRequest.@Nullable SharedPrefix sharedPrefix() {
    return ticketRequest.cacheUse().sharedPrefix();
  }

  /** Puts it to the requests for which one warms a cache. For the owner of the queue only. */
  void joins(WarmupGroup group) {
    warmup = group;
    group.joined();
  }

  /** Notes that it will not be sent. For the owner of the queue only. */
  void gone() {
    WarmupGroup group = warmup;
    if (group != null) {
      group.left();
    }
  }

  /** Returns the requests for which one warms a cache, or null. */
  @Nullable WarmupGroup warmup() {
    return warmup;
  }

  /** Notes that a cache is warm because of it, or never will be: nobody has to wait for that. */
  void endWarmup() {
    WarmupGroup group = warmup;
    if (group != null) {
      group.ended(this);
    }
  }

  /**
   * Returns whether it claims a quota only because of its pace, not because it was skipped too
   * often; exact on the thread of the queue's owner.
   */
  public boolean claimsForPace() {
    return claimsForPace;
  }

  /** Returns its affinity to one upstream. */
  public TicketRequest.RequestAffinity affinity() {
    return ticketRequest.affinity();
  }

  /** Returns the requested model, or null. */
  public @Nullable String model() {
    return ticketRequest.model();
  }

  /** Gives it its place in an order. */
  void enter(QueueDiscipline<ParkedTicket> discipline) {
    discipline.enter(
        this,
        ticketRequest.sender().priority(),
        ticketRequest.flow().name(),
        ticketRequest.flow().weight());
  }

  /** Returns the name of the flow that it belongs to, where shares are fair. */
  String flow() {
    return ticketRequest.flow().name();
  }

  /**
   * Returns whether it waits, in the queue or for a place there. For the owner of the queue only.
   */
  public boolean waits() {
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
    return terms.refusesAboveNanos();
  }

  /** Refuses it if it still waits; no effect once it was decided. */
  public void refuse(Refusal refusal) {
    listener.refuse(this, refusal);
  }

  /**
   * Cancels it because its client went away. If it was granted meanwhile, its charges are returned.
   * No effect once its outcome was {@linkplain #take taken}.
   */
  public void cancel() {
    if (HAND.compareAndSet(this, Hand.OPEN, Hand.UNWANTED)) {
      listener.unwanted(this);
    }
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

  @SuppressWarnings("unchecked")
  public // only whenDecided stores anything else there
  void deliver(TicketOutcome ticketOutcome) {
    Object met = MEETING.getAndSet(this, ticketOutcome);
    // A cancellation marks the ticket as unwanted first and looks for an outcome then, so at least
    // one of the two threads sees the other.
    if (hand == Hand.UNWANTED) {
      listener.unwanted(this);
    } else if (met != null) {
      ((Consumer<TicketOutcome>) met).accept(ticketOutcome);
    }
  }
}
