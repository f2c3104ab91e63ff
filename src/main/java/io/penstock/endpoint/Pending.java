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
 * <p>The outcome and whoever waits for it meet in one reference, in either order. An outcome that
 * was delivered is not yet one that somebody has: that is a word of its own, decided once between
 * {@link #take} and {@link Endpoint#cancel}.
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

  /** What was taken for it when it came; set before anybody else sees it. */
  private @Nullable Spends charged;

  private boolean left;

  /** What it faces; for the owner of the queue only. */
  Facing facing;

  /**
   * The lane it waits in, or null. Its owner alone changes it; others look whether claims count.
   */
  volatile @Nullable Lane lane;

  /** Whether it waits for a place in the queue. */
  boolean blocked;

  /** Whether what is kept for it is kept because of a pace alone. */
  boolean paced;

  /** Whether it ever was on the roll of those that wait. */
  volatile boolean listed;

  /** Why it was not let go, or not sooner, once that is said; for whoever decides it. */
  @Nullable Explanation why;

  /** Whether nothing is to be remembered of it. */
  boolean forgotten;

  /** What is remembered of it since it went, if anything is. */
  volatile @Nullable Past past;

  /** What it counts in the backlog, once it waits there; null when that is its own sizes. */
  @Nullable Sizes counted;

  Pending(Endpoint endpoint, long order, Ask ask, long now) {
    this(endpoint, order, ask, now, null);
  }

  /**
   * Makes a ticket that is parked.
   *
   * @param shadow what it is decided for, if that is no request
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

  /** Makes the ticket of one that comes back. */
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
   * Returns the ticket with which this one, which was let go, comes back to its place.
   *
   * @param avoided the id of the upstream it is not to go to if another serves it, or null
   * @param left what stays taken for it
   */
  Pending again(@Nullable String avoided, Spends left) {
    // Others can take over from the one it was merely kept with, and not from the one that knows
    // it.
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

  /** Returns the instant from which other models may serve it, NEVER when none may. */
  long fallbackNanos() {
    return fallbackNanos;
  }

  /** Returns what was taken for it when it went before, or null when it never did. */
  @Nullable Spends carried() {
    return carried;
  }

  /** Charges its caller for all it is expected to use, unless it waits for that. */
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

  /** It has come: where it did not go, other regions are told which of its caller's limits bind. */
  void came(long now) {
    Account waits = facing.account();
    if (waits != null && shadow == null && state() != State.GRANTED) {
      waits.stayed(ask.model(), cost(), now);
    }
  }

  /** Returns false when it waits no more. */
  private synchronized boolean keep(Spends spends) {
    charged = left ? null : spends;
    return !left;
  }

  /** Says that it waits no more, and will not go. Returns what stays taken for it, or null. */
  synchronized @Nullable Spends leave() {
    left = true;
    return taken();
  }

  /** Returns what stays taken for it while it waits: since it came, or went before; or null. */
  @Nullable Spends taken() {
    return carried == null ? charged : carried;
  }

  /** Returns what its caller may spend, or null when that has no bound. */
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

  /** Returns the endpoint it came to. */
  public Endpoint endpoint() {
    return endpoint;
  }

  /** Returns what it is decided for, or null when that is a request. */
  @Nullable Shadow shadow() {
    return shadow;
  }

  /** Returns who asks. */
  public Ask.Origin origin() {
    return ask.origin();
  }

  /**
   * Returns what kept it from going, or from going sooner; null when nothing did, and while that is
   * not known: it is of those that were refused, and of those that waited for long. To be asked
   * once its outcome is there.
   */
  public @Nullable Binding held() {
    Explanation said = why;
    return said == null ? null : said.binds();
  }

  /** Returns the model it asks for, or null. */
  public @Nullable String model() {
    return ask.model();
  }

  /** Takes its place in an order. */
  void enter(Discipline<Pending> discipline) {
    discipline.enter(this, ask.priority(), ask.flow().name(), ask.flow().weight());
  }

  /** Whether it waits, in the queue or for a place there. For the owner of the queue only. */
  boolean waits() {
    return queued() || blocked;
  }

  /**
   * Returns whether it waits or has waited; false of one that was decided as it came. What became
   * of it meanwhile changes nothing.
   */
  public boolean waited() {
    return outcome() == null || listed;
  }

  long refusesAboveNanos() {
    return refusesAboveNanos;
  }

  /** Refuses it while it waits; no effect once it was decided. */
  public void refuse(Refusal refusal) {
    endpoint.atWork((dispatcher, now) -> dispatcher.throwOut(this, refusal, now));
  }

  /** Returns the outcome, or null while there is none. */
  public @Nullable Outcome outcome() {
    return meeting instanceof Outcome outcome ? outcome : null;
  }

  /** Has {@code receiver} called once with the outcome, at once if it is known. */
  public void whenDecided(Consumer<Outcome> receiver) {
    Object met = MEETING.compareAndExchange(this, null, receiver);
    if (met instanceof Outcome outcome) {
      receiver.accept(outcome);
    }
  }

  /**
   * Says that whoever asked has the outcome in hand and will see to it. Returns false when it was
   * cancelled first: then there is nothing to see to.
   */
  public boolean take() {
    return HAND.compareAndSet(this, Hand.OPEN, Hand.TAKEN);
  }

  /** Says that nobody will take the outcome; returns false when somebody has. */
  boolean unwanted() {
    return HAND.compareAndSet(this, Hand.OPEN, Hand.UNWANTED);
  }

  @SuppressWarnings("unchecked") // only whenDecided puts anything else there
  void deliver(Outcome outcome) {
    Object met = MEETING.getAndSet(this, outcome);
    // Whoever cancels says so first and looks for an outcome then: one of the two sees the other.
    if (hand == Hand.UNWANTED) {
      endpoint.abandon(outcome);
    } else if (met != null) {
      ((Consumer<Outcome>) met).accept(outcome);
    }
  }
}
