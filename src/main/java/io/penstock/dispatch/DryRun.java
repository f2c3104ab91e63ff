package io.penstock.dispatch;

import io.penstock.queue.DimensionSizes;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueDiscipline;
import io.penstock.queue.Ticket.State;
import io.penstock.quota.Quota;
import io.penstock.quota.TicketBatch;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A run of a {@link Dispatcher} on copies of the waiting tickets, their order, their quotas and
 * their claims, to see when each of them would go if nothing came from outside. It changes nothing
 * of the originals. The owner of the queue creates it; then it runs once, on any one thread.
 *
 * <p>Once something happens whose time only an event from outside can tell (an answer that ends,
 * another instance or endpoint that spends the same limit), the run ends. Tickets that are left go
 * no sooner than that, and no sooner than {@link EarliestGo} says.
 */
public final class DryRun implements RouteSource, DispatchListener, WaitRecorder, LaneRecorder {
  /** Most tickets that are copied. Longer queues are estimated by a {@link VirtualRun}. */
  static final int MOST = 250;

  /** Most waiting tickets that are copied when another one arrives: the owner runs it then. */
  static final int MOST_AT_ARRIVAL = 64;

  /** Most tickets with a bound of their own, which takes time for each ticket before them. */
  private static final int MOST_BOUNDS = 64;

  /** Most looks at copies, for a list. */
  private static final int MOST_LOOKS = 50_000;

  /** Most looks at copies when a ticket arrives. */
  private static final int MOST_LOOKS_AT_ARRIVAL = 8_000;

  /**
   * A waiting ticket at the beginning of the run.
   *
   * @param copy the one that runs; that of a ticket which arrives stays until it goes
   * @param routes with copies of quotas, like all routes here
   * @param laterRoutes the routes it has once it has waited for long; none when they stay the same
   * @param changesAt when it has those; {@link Ticker#NEVER} when they stay the same
   * @param blocked whether it waits for a place in the queue
   * @param skips how often it was skipped
   * @param batch of it alone
   */
  record Place(
      ParkedTicket ticket,
      ParkedTicket copy,
      LaneKey lane,
      List<TicketRoute> routes,
      List<TicketRoute> laterRoutes,
      long changesAt,
      boolean blocked,
      int skips,
      TicketBatch batch) {
    DimensionSizes sizes() {
      return batch.sizes();
    }

    /** Returns when it leaves its place even if it does not go. */
    long staysUntil() {
      return Math.min(copy.deadlineNanos(), changesAt);
    }
  }

  private final RouteSource terms;
  private final QueueDiscipline<ParkedTicket> order;
  private final Dispatcher dispatcher;
  private final long now;
  private final Map<LaneKey, List<TicketRoute>> routes = new HashMap<>();
  private final IdentityHashMap<Quota, Quota> copies = new IdentityHashMap<>();
  private final Set<Quota> unpredictable = new HashSet<>();

  /** The quotas that are claimed, or awaited at other endpoints, too. */
  private final Set<Quota> contested = new HashSet<>();

  private final Set<ParkedTicket> claimants = new HashSet<>();

  /** The tickets by number: those in the queue in their order, then the blocked ones. */
  private final Map<Long, Place> places = new LinkedHashMap<>();

  private final Map<Long, WaitForecast> forecasts = new HashMap<>();
  private boolean certain = true;
  private long at;

  private DryRun(WaitingRoom room, @Nullable ParkedTicket arrived, int mostLooks, long now) {
    this.terms = room.terms();
    this.now = now;
    this.at = now;
    this.order = room.discipline().copy();
    this.dispatcher = new Dispatcher(this, mostLooks);
    for (Lane lane : room.lanes().all()) {
      routes.put(lane.key(), copies(lane.routes()));
    }
    WaitingRoom copy = dispatcher.waitingRoom();
    Supplier<@Nullable ParkedTicket> inTurn = room.inTurn();
    for (ParkedTicket each = inTurn.get(); each != null; each = inTurn.get()) {
      boolean rests = each.lane() instanceof Lane lane && lane.tickets().resting();
      Place place = place(each, each.deadlineNanos(), each.blocked(), room);
      copy.putCopy(place.copy(), place.blocked(), rests, now);
    }
    Place last = null;
    if (arrived != null) {
      boolean blocked = room.firstBlocked() != null || room.full(arrived) != null;
      last = place(arrived, Ticker.NEVER, blocked, room);
    }
    order.copied();
    copy.lanes().all().forEach(Lane::join);
    copyClaims(room.lanes().endpoint());
    if (last != null) {
      copy.putCopy(last.copy(), last.blocked(), false, now);
    }
  }

  /** Returns a run of all waiting tickets; null when there are more than {@value #MOST}. */
  static @Nullable DryRun of(WaitingRoom room, long now) {
    return room.tickets() > MOST ? null : new DryRun(room, null, MOST_LOOKS, now);
  }

  /**
   * Returns when a ticket that is about to wait is expected to go; null when more than {@value
   * #MOST_AT_ARRIVAL} wait.
   */
  static @Nullable WaitForecast ofArrival(ParkedTicket arrived, WaitingRoom room, long now) {
    return room.tickets() > MOST_AT_ARRIVAL
        ? null
        : new DryRun(room, arrived, MOST_LOOKS_AT_ARRIVAL, now).forecastOf(arrived);
  }

  private Place place(ParkedTicket ticket, long deadlineNanos, boolean blocked, WaitingRoom room) {
    ParkedTicket copy = ticket.dryCopy(deadlineNanos);
    copy.enter(order);
    int skips = room.skipsOf(ticket);
    copy.placeOf(ticket, skips);
    DimensionSizes sizes = new DimensionSizes();
    copy.sizesInto(sizes);
    LaneKey elsewhere = dispatcher.waitingRoom().departure(copy, now);
    LaneKey later = elsewhere == null ? copy.laneKey() : elsewhere;
    long changesAt = elsewhere == null ? Ticker.NEVER : copy.keptUntilNanos();
    if (!later.withFallbacks() && copy.fallbackNanos() != Ticker.NEVER) {
      later = later.widened();
      changesAt = Math.min(changesAt, copy.fallbackNanos());
    }
    Place place =
        new Place(
            ticket,
            copy,
            copy.laneKey(),
            of(copy.laneKey(), now),
            changesAt == Ticker.NEVER ? List.of() : of(later, now),
            changesAt,
            blocked,
            skips,
            TicketBatch.ofEqual(1, sizes));
    places.put(ticket.order(), place);
    return place;
  }

  private void copyClaims(Object endpoint) {
    copies.forEach(
        (quota, copy) -> {
          if (quota.waitList().othersWait(endpoint)) {
            contested.add(copy);
            certain = false;
          }
          if (quota.waitList().claimant() instanceof ParkedTicket claimant) {
            contested.add(copy);
            copyClaim(claimant, copy);
          }
        });
  }

  private void copyClaim(ParkedTicket claimant, Quota quota) {
    Place place = places.get(claimant.order());
    if (place == null) {
      certain = false;
    } else if (place.copy().lane() instanceof Lane lane) {
      claimants.add(place.ticket());
      lane.adoptClaim(place.copy(), quota, claimant.claimsForPace);
    }
  }

  private void run(@Nullable Long until) {
    long next = now;
    while (goesOn(until) && next < Ticker.NEVER && !dispatcher.tired()) {
      at = next;
      next = Math.max(dispatcher.step(at), at + 1);
    }
    if (certain && next == Ticker.NEVER) {
      places.keySet().forEach(each -> forecasts.putIfAbsent(each, WaitForecast.UNKNOWN));
    }
  }

  private boolean goesOn(@Nullable Long until) {
    return certain
        && (until == null ? forecasts.size() < places.size() : !forecasts.containsKey(until));
  }

  /** Runs, and returns when each of its tickets is expected to go. */
  public Map<ParkedTicket, WaitForecast> forecasts() {
    run(null);
    Map<ParkedTicket, WaitForecast> all = new HashMap<>();
    Map<Place, WaitForecast> first = new LinkedHashMap<>();
    for (Place each : places.values()) {
      WaitForecast forecast = forecasts.get(each.ticket().order());
      if (first.size() < MOST_BOUNDS) {
        forecast = forecast == null ? later(new EarliestGo(this, each).forecast()) : forecast;
        first.put(each, forecast);
      } else if (forecast == null) {
        forecast = later(new EarliestGo(this, each).forecastBehind(first));
      }
      all.put(each.ticket(), labelled(forecast));
    }
    return all;
  }

  /** Runs, and returns when the ticket that was about to wait is expected to go. */
  private WaitForecast forecastOf(ParkedTicket arrived) {
    run(arrived.order());
    WaitForecast known = forecasts.get(arrived.order());
    Place place = places.get(arrived.order());
    return labelled(
        known == null && place != null ? later(new EarliestGo(this, place).forecast()) : known);
  }

  /** Returns a bound that is not before the end of the run: until then all is certain. */
  private WaitForecast later(WaitForecast bound) {
    return bound.known() && bound.waitNanos() < at - now ? WaitForecast.of(at - now, true) : bound;
  }

  private WaitForecast labelled(@Nullable WaitForecast forecast) {
    if (forecast == null) {
      return WaitForecast.UNKNOWN;
    }
    return order.foreseeable() || !forecast.known()
        ? forecast
        : new WaitForecast(forecast.waitNanos(), true); // tickets to come may go first
  }

  long now() {
    return now;
  }

  /** Returns the tickets as they stood: those in the queue in their order, then the blocked. */
  Collection<Place> places() {
    return places.values();
  }

  /** Returns whether the ticket of a place has a claim. */
  boolean claims(Place place) {
    return claimants.contains(place.ticket());
  }

  /** Returns whether a quota is claimed, or awaited at other endpoints, too. */
  boolean isContested(Quota quota) {
    return contested.contains(quota);
  }

  private List<TicketRoute> copies(List<TicketRoute> originals) {
    List<TicketRoute> all = new ArrayList<>(originals.size());
    for (TicketRoute each : originals) {
      all.add(
          new TicketRoute(
              each.upstream(),
              each.model(),
              copy(each.pool()),
              copy(each.ofModel()),
              each.quotas().stream().map(this::copy).toList(),
              each.rank()));
    }
    return all;
  }

  private @Nullable Quota copy(@Nullable Quota quota) {
    Quota known = copies.get(quota);
    if (known != null || quota == null) {
      return known;
    }
    Quota copy = quota.dryCopy(now);
    copies.put(quota, copy);
    if (quota.isUnpredictable(now)) {
      unpredictable.add(copy);
    }
    return copy;
  }

  @Override
  public List<TicketRoute> of(LaneKey laneKey, long then) {
    return routes.computeIfAbsent(laneKey, key -> copies(terms.of(key, now)));
  }

  @Override
  public @Nullable String keptTo(
      TicketRequest.RequestAffinity affinity, @Nullable String model, long then) {
    return terms.keptTo(affinity, model, then);
  }

  @Override
  public RefusalReason noRouteReason(@Nullable String model) {
    return terms.noRouteReason(model);
  }

  @Override
  public QueueBounds bounds() {
    return terms.bounds();
  }

  @Override
  public int maxBlocked() {
    return terms.maxBlocked();
  }

  @Override
  public int maxSkips() {
    return terms.maxSkips();
  }

  @Override
  public QueueDiscipline<ParkedTicket> discipline() {
    return order;
  }

  @Override
  public Runnable signal() {
    return () -> {};
  }

  @Override
  public void granted(ParkedTicket ticket, TicketSettlement settlement) {
    decided(ticket, WaitForecast.of(at - now, false));
    if (settlement.upstream() == null) {
      settlement.permittedDry(at); // a permit is used at once
    }
    WarmupGroup group = original(ticket).warmup();
    certain &= group == null || group.sent(); // else others wait for its answer
  }

  /** A ticket that will be refused has no wait, or one beyond its deadline. */
  @Override
  public void refused(ParkedTicket ticket, Refusal refusal) {
    decided(
        ticket,
        ticket.state() == State.EXPIRED
            ? WaitForecast.of(ticket.deadlineNanos() + 1 - now, true)
            : WaitForecast.UNKNOWN);
    certain &= original(ticket).takenCharges() == null; // else it gives back what others wait for
  }

  private ParkedTicket original(ParkedTicket copy) {
    return Objects.requireNonNull(places.get(copy.order())).ticket();
  }

  private void decided(ParkedTicket ticket, WaitForecast forecast) {
    if (certain) {
      forecasts.put(ticket.order(), forecast);
    }
  }

  @Override
  public void clientLeft(ParkedTicket ticket, long then) {}

  @Override
  public void recordHopeless(ParkedTicket ticket, List<TicketRoute> unused, long then) {}

  @Override
  public void recordDetour(ParkedTicket ticket, List<TicketRoute> unused, long then) {}

  @Override
  public void recordWaiting(ParkedTicket ticket, List<TicketRoute> unused, long then) {}

  @Override
  public void pause(boolean stop, long then) {}

  @Override
  public LaneRecorder lane() {
    return this;
  }

  @Override
  public void blocked(ParkedTicket first, List<TicketRoute> those, long then) {
    DimensionSizes largest = new DimensionSizes();
    first.sizesInto(largest);
    if (first.lane() instanceof Lane lane) {
      DimensionSizes sizes = new DimensionSizes();
      lane.tickets()
          .forEach(
              each -> {
                each.sizesInto(sizes);
                largest.raise(sizes);
              });
    }
    for (TicketRoute route : those) {
      for (Quota quota : route.quotas()) {
        certain &= !unpredictable.contains(quota) && !quota.awaitsEvent(largest, then);
      }
    }
  }

  @Override
  public void goes(ParkedTicket ticket, List<TicketRoute> those, long then) {
    for (TicketRoute route : those) {
      certain &= route.quotas().stream().noneMatch(unpredictable::contains);
    }
  }
}
