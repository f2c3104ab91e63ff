package io.penstock.shares;

import io.penstock.limit.Limit;
import io.penstock.limit.ShareNews;
import io.penstock.shares.LimitShare.Gives;
import io.penstock.shares.ShareStore.Absent;
import io.penstock.shares.ShareStore.Answer;
import io.penstock.shares.ShareStore.Beat;
import io.penstock.shares.ShareStore.BeatAnswer;
import io.penstock.shares.ShareStore.Call;
import io.penstock.shares.ShareStore.Life;
import io.penstock.shares.ShareStore.Message;
import io.penstock.shares.ShareStore.Outcome;
import io.penstock.shares.ShareStore.Peer;
import io.penstock.shares.ShareStore.Reply;
import io.penstock.shares.ShareStore.Row;
import io.penstock.shares.ShareStore.Still;
import io.penstock.shares.ShareStore.Told;
import io.penstock.sharing.LimitId;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the shares of all limits of one instance at one store: it sends the beats and the calls,
 * and tells the limits what they may spend. At most one message is on its way. Safe from any
 * thread; no method blocks.
 */
public final class ShareSync {
  /** Most calls in one message. */
  static final int MOST_CALLS = 1_000;

  /** All limits are looked at at least once in so many beats. */
  private static final int SCAN_BEATS = 10;

  private static final double JITTER = 0.2;

  /** For so many beats after somebody has counted, others are heard as often as they tell. */
  private static final int LIVELY_BEATS = 2;

  /**
   * @param hearers wait for an answer
   */
  private record Sent(Message message, long atNanos, List<CompletableFuture<Boolean>> hearers) {
    void end(boolean answered) {
      hearers.forEach(each -> each.complete(answered));
    }
  }

  private record Arrived(Message message, @Nullable Reply reply) {}

  private final String member;
  private final ShareStore store;
  private final Ticker ticker;
  private final StepAlarm alarm;
  private final ShareTerms terms;
  private final DoubleSupplier random;
  private final ShareLease lease = new ShareLease();
  private final Peers peers;
  private final CountedLimits counts;
  private final ToldShares told = new ToldShares();
  private final Map<LimitId, LimitShare> limits = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Arrived> arrived = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean hurried = new AtomicBoolean();
  private final ConcurrentLinkedQueue<LimitId> changes = new ConcurrentLinkedQueue<>();

  /** The limits that have not stated yet in this epoch what they hold. */
  private final Set<LimitId> unstated = new LinkedHashSet<>();

  /** The limits with a share that others have to be told of. */
  private final Set<LimitId> untold = new LinkedHashSet<>();

  /** The limits that may have something to say before the next beat. */
  private final Set<LimitId> urgent = ConcurrentHashMap.newKeySet();

  private ShareEpoch epoch = ShareEpoch.NONE;
  private long count;
  private long version;
  private long toldUpTo;
  private boolean settled;
  private boolean uncertain;
  private boolean listed;
  private boolean wasListed;
  private boolean remembers;
  private boolean doubts;
  private long epochNanos;
  private Set<LimitId> wanted = new HashSet<>();

  private Iterator<LimitShare> scan = Collections.emptyIterator();
  private long scannedNanos = Long.MIN_VALUE / 2;
  private @Nullable Sent sent;
  private long number;
  private long sentNanos = Long.MIN_VALUE / 2;
  private long collectedNanos = Long.MIN_VALUE / 2;

  /** When anything was told last of what was counted, here or by others. */
  private long countedNanos = Long.MIN_VALUE / 2;

  /** Whether a beat would be answered soon, as far as is known. */
  private volatile boolean hears;

  private final Queue<CompletableFuture<Boolean>> hearers = new ConcurrentLinkedQueue<>();

  /** The instances that are gone, as an operator says, which the store does not know yet. */
  private final List<Still> gone = new ArrayList<>();

  private long dueNanos = Long.MIN_VALUE / 2;
  private long contactNanos = Long.MIN_VALUE / 2;
  private final long createdNanos;
  private long steppedNanos;
  private long gapNanos = Long.MIN_VALUE / 2;
  private boolean spendsAll;
  private ShareNews.Contact contact = ShareNews.Contact.LISTING;
  private boolean contactChanged;
  private boolean stopped;
  private volatile Runnable contactListener = () -> {};

  /**
   * Creates an instance without limits; nothing is sent before {@link #start}.
   *
   * @param member its name, different after each restart
   * @param alarm runs the steps, one at a time
   * @param counts nothing else uses it, but to ask
   * @param random returns 0 to 1, so that instances do not send at the same instant
   */
  public ShareSync(
      String member,
      ShareStore store,
      Ticker ticker,
      StepAlarm alarm,
      ShareTerms terms,
      CountedLimits counts,
      DoubleSupplier random) {
    this.member = member;
    this.store = store;
    this.ticker = ticker;
    this.alarm = alarm;
    this.terms = terms;
    this.counts = counts;
    this.random = random;
    this.peers = new Peers(member, terms);
    this.createdNanos = ticker.nanos();
    this.steppedNanos = createdNanos;
  }

  /** Returns the lease that all shares of this instance depend on. */
  public ShareLease lease() {
    return lease;
  }

  /** Returns the limits that other instances count, too. */
  CountedLimits counts() {
    return counts;
  }

  /** Sets a listener that is run, on any thread, when the contact with the store has changed. */
  public void setContactListener(Runnable listener) {
    contactListener = listener;
  }

  /** Sends the first beat. */
  public void start() {
    alarm.soon(this::step);
  }

  /**
   * Shares a limit from now on; it has no share before the store gives one. If the limit was
   * removed and what was spent of it still counts, {@code user} goes on with that, so it must know
   * of it. A limit that is shared already keeps its user.
   */
  public void add(LimitId id, ShareUser user) {
    LimitShare fresh = new LimitShare(member, id, user, terms);
    boolean isNew = limits.putIfAbsent(id, fresh) == null;
    synchronized (this) {
      if (!isNew) {
        limits.computeIfAbsent(id, absent -> fresh).goOn(user);
      }
      user.contact(contact, members(), ticker.nanos());
    }
  }

  /**
   * Shares a limit no more: nothing of it is spent from now on. Others get its share as what was
   * spent counts no more; until then its user is asked for that.
   */
  public synchronized void remove(LimitId id) {
    LimitShare limit = limits.get(id);
    if (limit != null) {
      limit.end(ticker.nanos());
      forgetIfGone(limit);
      hurry(id);
    }
  }

  private void forgetIfGone(LimitShare limit) {
    if (limit.isGone()) {
      limits.remove(limit.id());
      unstated.remove(limit.id());
      untold.remove(limit.id());
    }
  }

  /**
   * Counts a limit together with other instances from now on.
   *
   * @param binds whether it leaves room for what they count; otherwise that is only known
   */
  public void count(LimitId id, Limit limit, boolean binds) {
    synchronized (this) {
      counts.join(id, limit, binds, ticker.nanos());
    }
    if (hurried.compareAndSet(false, true)) {
      alarm.soon(this::step);
    }
  }

  /**
   * Counts a limit together with others no more.
   *
   * @param frees whether it leaves no room for others any more; otherwise it does for what is
   *     known, because requests may still wait for it
   */
  public synchronized void uncount(LimitId id, boolean frees) {
    counts.leave(id, frees);
  }

  /**
   * Sends a beat soon, to hear what others have counted.
   *
   * @return completes with true once it is answered, with false if it is not, or cannot be sent
   */
  public CompletionStage<Boolean> hearAnew() {
    if (!hears) {
      return CompletableFuture.completedStage(false);
    }
    CompletableFuture<Boolean> answered = new CompletableFuture<>();
    hearers.add(answered);
    alarm.soon(this::step);
    return answered;
  }

  /** Returns whether an instance is this one, or another that lives as far as is known here. */
  synchronized boolean lives(String name) {
    return name.equals(member) || peers.lives(name, ticker.nanos());
  }

  /**
   * Releases all that an instance may hold above what it stated as spent, if it does not live by
   * the store.
   *
   * @return completes once the store has answered, or could not be asked
   */
  CompletionStage<ShareRelease> release(String name) {
    CompletableFuture<Boolean> answered = new CompletableFuture<>();
    synchronized (this) {
      Peer peer = peers.named(name);
      if (stopped || !isHeard(ticker.nanos())) {
        return CompletableFuture.completedStage(ShareRelease.AWAY);
      }
      if (peer == null) {
        return CompletableFuture.completedStage(ShareRelease.UNKNOWN);
      }
      gone.add(new Still(name, peer.number(), true));
      hearers.add(answered);
    }
    alarm.soon(this::step);
    return answered.thenApply(isHeard -> isHeard ? released(name) : ShareRelease.AWAY);
  }

  private synchronized ShareRelease released(String name) {
    Peer peer = peers.named(name);
    if (peer == null || peer.life() != Life.RELEASED) {
      return peer == null ? ShareRelease.UNKNOWN : ShareRelease.LIVES;
    }
    return new ShareRelease(false, 1, 0, countsOf(name));
  }

  /** Returns at how many limits a share of an instance that has stopped was seen. */
  private long countsOf(String name) {
    return limits.values().stream()
        .filter(each -> each.ofDead().stream().anyMatch(row -> row.member().equals(name)))
        .count();
  }

  /** Looks soon whether the share of a limit should change. */
  public void hurry(LimitId id) {
    urgent.add(id);
    if (hurried.compareAndSet(false, true)) {
      alarm.soon(this::step);
    }
  }

  /** Takes in that the share of another instance of a limit has changed, or that one waits. */
  public void changed(LimitId id) {
    if (limits.containsKey(id)) {
      changes.add(id);
      hurry(id);
    }
  }

  /** Returns the contact with the store. */
  public synchronized ShareFigures.Contact contact() {
    return contact(ticker.nanos());
  }

  private ShareFigures.Contact contact(long now) {
    return new ShareFigures.Contact(
        reachable(),
        settled,
        listed,
        now - Math.max(contactNanos, createdNanos),
        !isHeard(now),
        1 + peers.living());
  }

  /** Returns the state of the sharing as this instance knows it. */
  public synchronized ShareFigures figures() {
    long now = ticker.nanos();
    List<ShareFigures.Member> members = new ArrayList<>();
    members.add(new ShareFigures.Member(member, number, stopped ? Life.LEFT : Life.LIVING, 0));
    members.addAll(peers.figures(decays(), now));
    return new ShareFigures(
        member,
        epoch.toString(),
        uncertain,
        contact(now),
        members,
        new ShareFigures.Limits(
            limits.size(),
            (int) limits.values().stream().filter(LimitShare::isGranted).count(),
            (int) urgent().stream().filter(each -> each.isWaiting(now)).count()));
  }

  /** Returns for how many milliseconds what an absent instance spent last counts at most. */
  private Map<String, Long> decays() {
    Map<String, Long> decays = new HashMap<>();
    for (LimitShare each : limits.values()) {
      each.ofDead().forEach(row -> decays.merge(row.member(), row.decayMillis(), Math::max));
    }
    return decays;
  }

  /** Returns the figures of one limit, or null when the store has not answered about it. */
  public synchronized ShareFigures.@Nullable OfLimit figures(LimitId id) {
    LimitShare limit = limits.get(id);
    return limit == null ? null : limit.figures(ticker.nanos());
  }

  /** Returns all limits that this instance shares. */
  public Set<LimitId> limits() {
    return Set.copyOf(limits.keySet());
  }

  /** Returns whether this instance may be given shares. */
  public synchronized boolean isReady() {
    return settled && listed;
  }

  /**
   * Gives up all shares but what was spent, and leaves.
   *
   * @return completes once the store has answered, or could not be asked
   */
  public CompletionStage<?> leave() {
    List<LimitShare> holding = new ArrayList<>();
    boolean reachable;
    synchronized (this) {
      reachable = reachable();
      stopped = true;
      giveUp();
      hears = false;
      hearers().forEach(each -> each.complete(false));
      lease.until(Long.MIN_VALUE);
      for (LimitShare each : limits.values()) {
        if (each.isGranted()) {
          holding.add(each);
        }
      }
    }
    return reachable ? leave(holding) : CompletableFuture.completedStage(null);
  }

  private CompletionStage<?> leave(List<LimitShare> holding) {
    List<LimitShare> first = holding.subList(0, Math.min(MOST_CALLS, holding.size()));
    List<LimitShare> left = holding.subList(first.size(), holding.size());
    boolean last = left.isEmpty();
    Message message;
    synchronized (this) {
      long now = ticker.nanos();
      number++;
      List<Absent> absent = peers.absent(now);
      List<Call> calls = new ArrayList<>();
      for (LimitShare each : first) {
        each.drop(now);
        calls.add(each.call(number, epoch, false, Gives.ALL, absent, List.of(), now));
      }
      message =
          new Message(
              member,
              calls,
              beat(
                  last ? counts.untold(member, Integer.MAX_VALUE, true, now) : List.of(),
                  last,
                  now));
    }
    CompletionStage<Reply> answered = store.exchange(message);
    return last ? answered : answered.thenCompose(reply -> leave(left));
  }

  private void step() {
    Message begun;
    boolean isOther;
    synchronized (this) {
      long now = ticker.nanos();
      if (stopped) {
        hearers().forEach(each -> each.complete(false));
        return;
      }
      if (now - steppedNanos > terms.leaseNanos()) {
        pause(now);
      }
      steppedNanos = now;
      hurried.set(false);
      for (LimitId each = changes.poll(); each != null; each = changes.poll()) {
        LimitShare limit = limits.get(each);
        if (limit != null) {
          limit.news();
        }
      }
      for (Arrived each = arrived.poll(); each != null; each = arrived.poll()) {
        arrive(each, now);
      }
      if (sent != null && now - sent.atNanos() >= terms.timeoutNanos()) {
        giveUp();
      }
      boolean hangs = sent != null && now - sent.atNanos() > FreshCounts.COLD_NANOS;
      hears = isHeard(now) && !hangs;
      if (!hears) {
        hearers().forEach(each -> each.complete(false));
      }
      extend(now);
      spendAll(now);
      tellContact(now);
      isOther = contactChanged;
      contactChanged = false;
      begun = sent == null ? begin(now) : null;
      alarm.at(next(now), this::step);
    }
    if (isOther) {
      contactListener.run();
    }
    if (begun != null) {
      send(begun);
    }
  }

  /** The process did not run: it may have been declared dead, and its shares given to others. */
  private void pause(long now) {
    gapNanos = now;
    giveUp();
    peers.watchAnew(now);
  }

  private void giveUp() {
    if (sent != null) {
      sent.end(false);
      sent = null;
    }
  }

  private boolean isHeld(long now) {
    return contactNanos > gapNanos
        && (terms.continues() || now - contactNanos < terms.leaseNanos());
  }

  private void extend(long now) {
    if (contactNanos <= gapNanos) {
      lease.until(Long.MIN_VALUE);
    } else {
      lease.until((terms.continues() ? now : contactNanos) + terms.leaseNanos());
    }
  }

  /** Tells the limits of another contact with the store. */
  private void tellContact(long now) {
    ShareNews.Contact next = contactAt(now);
    if (next != contact) {
      contact = next;
      contactChanged = true;
      long members = members();
      limits.values().forEach(limit -> limit.contact(next, members, now));
      counts.contact(next == ShareNews.Contact.AWAY, now);
    }
  }

  private ShareNews.Contact contactAt(long now) {
    long heardOrRan = Math.max(contactNanos, Math.max(createdNanos, gapNanos));
    if (now - heardOrRan >= terms.leaseNanos()) {
      return ShareNews.Contact.AWAY;
    }
    wasListed |= listed;
    if (!wasListed) {
      return ShareNews.Contact.LISTING;
    }
    return settled ? ShareNews.Contact.READY : ShareNews.Contact.SETTLING;
  }

  /** Returns how many instances share limits; 0 before the first contact. */
  private long members() {
    return reachable() ? 1 + peers.living() : 0;
  }

  /** While the store is away, nobody can be given what this instance holds. */
  private void spendAll(long now) {
    boolean away = now - contactNanos > 2 * terms.beatNanos() + terms.timeoutNanos();
    if (away && !spendsAll && lease.holds(now)) {
      limits.values().forEach(limit -> limit.spendAll(now));
    }
    spendsAll = away;
  }

  private @Nullable Message begin(long now) {
    boolean asked = !hearers.isEmpty() && now - sentNanos >= LimitShare.LEAST_NANOS;
    boolean beats = now >= dueNanos || asked;
    boolean scans = beats && now - scannedNanos >= terms.beatNanos() / 2;
    List<Told> counted = counted(scans, now);
    boolean due = beats || !counted.isEmpty();
    List<LimitShare> calling = reachable() ? calling(scans, now) : List.of();
    if (!due && (calling.isEmpty() || now - sentNanos < LimitShare.LEAST_NANOS)) {
      return null;
    }
    number++;
    boolean ended = !isHeld(now);
    if (ended) {
      limits.values().forEach(limit -> limit.drop(now));
    }
    Gives gives = contactNanos < sentNanos ? Gives.NOTHING : Gives.SURPLUS;
    List<Absent> absent = peers.absent(now);
    List<Call> calls = new ArrayList<>();
    for (LimitShare each : calling) {
      List<Row> known = told.of(each.id(), now);
      List<Row> heard = each.isStatedIn(epoch, !known.isEmpty()) ? List.of() : known;
      urgent.add(each.id());
      List<Absent> all = new ArrayList<>(absent);
      all.addAll(peers.absent(each.strangers(), now));
      calls.add(each.call(number, epoch, mayRaise(each, now), gives, all, heard, now));
    }
    countedNanos = counted.isEmpty() ? countedNanos : now;
    List<Told> telling = new ArrayList<>(counted);
    if (!scans) {
      calling.forEach(each -> telling.addAll(counts.untold(each.id(), member, now)));
    }
    boolean lively = counts.isPrompt() && now - countedNanos < LIVELY_BEATS * terms.beatNanos();
    long beat = lively ? counts.intervalNanos() : terms.beatNanos();
    dueNanos = now + (long) (beat * (1 + JITTER * (2 * random.getAsDouble() - 1)));
    sentNanos = now;
    Message message = new Message(member, calls, beat(telling, false, now));
    sent = new Sent(message, now, hearers());
    return message;
  }

  private List<CompletableFuture<Boolean>> hearers() {
    List<CompletableFuture<Boolean>> all = new ArrayList<>();
    for (CompletableFuture<Boolean> each = hearers.poll(); each != null; each = hearers.poll()) {
      all.add(each);
    }
    return all;
  }

  /** Returns what was counted here, and was not told for an interval. */
  private List<Told> counted(boolean every, long now) {
    if (!reachable() || (!every && now < nextCounts())) {
      return List.of();
    }
    List<Told> untold = counts.untold(member, MOST_CALLS, every, now);
    collectedNanos = untold.size() < MOST_CALLS ? now : collectedNanos; // else there may be more
    return untold;
  }

  private boolean reachable() {
    return !epoch.equals(ShareEpoch.NONE);
  }

  /**
   * Returns the limits that have something to say. Each is looked at while it is urgent; of the
   * others, a beat looks at some after the other.
   */
  private List<LimitShare> calling(boolean scans, long now) {
    scannedNanos = scans ? now : scannedNanos;
    Set<LimitShare> looked = new LinkedHashSet<>(scans ? scanned() : List.of());
    looked.addAll(urgent());
    unstated.stream()
        .limit(MOST_CALLS)
        .map(limits::get)
        .filter(Objects::nonNull)
        .forEach(looked::add);
    List<LimitShare> calling = new ArrayList<>();
    for (LimitShare each : looked) {
      each.endTurn(contactNanos, now);
      if (unstated.contains(each.id()) || each.dueAt(now) <= now) {
        calling.add(each);
      }
      if (calling.size() == MOST_CALLS) {
        break;
      }
    }
    return calling;
  }

  private List<LimitShare> scanned() {
    List<LimitShare> next = new ArrayList<>();
    int many = Math.max(MOST_CALLS, limits.size() / SCAN_BEATS);
    scan = scan.hasNext() ? scan : limits.values().iterator();
    while (scan.hasNext() && next.size() < many) {
      next.add(scan.next());
    }
    return next;
  }

  private List<LimitShare> urgent() {
    urgent.retainAll(limits.keySet());
    return urgent.stream().map(limits::get).filter(Objects::nonNull).toList();
  }

  /** Returns when the next message is due. */
  private long next(long now) {
    if (sent != null) {
      return sent.atNanos() + terms.timeoutNanos();
    }
    long next = hearers.isEmpty() ? Math.min(dueNanos, nextCounts()) : now;
    for (LimitShare each : reachable() ? urgent() : List.<LimitShare>of()) {
      long at = each.dueAt(now);
      if (at > now + terms.beatNanos() && !each.isWaiting(now)) {
        urgent.remove(each.id()); // a scan finds it again
      }
      next = Math.min(next, at);
    }
    return Math.max(next, sentNanos + LimitShare.LEAST_NANOS);
  }

  private long nextCounts() {
    return counts.isPrompt() && reachable()
        ? collectedNanos + counts.intervalNanos()
        : Ticker.NEVER;
  }

  private boolean isStated(LimitShare limit, long now) {
    return limit.isStatedIn(epoch, told.knows(limit.id(), now));
  }

  private boolean mayRaise(LimitShare limit, long now) {
    if (!settled || !listed) {
      return false;
    }
    return !uncertain || limit.isLong(now) || peers.unstatedHasDecayed(limit.decayNanos(now), now);
  }

  private Beat beat(List<Told> counted, boolean leaves, long now) {
    List<LimitId> waits = new ArrayList<>();
    for (LimitShare each : urgent()) {
      if (each.isWaiting(now)) {
        waits.add(each.id());
      }
    }
    List<Still> still = new ArrayList<>(isHeard(now) ? peers.still(now) : List.of());
    still.addAll(gone);
    gone.clear();
    List<Told> changed = new ArrayList<>(counted);
    for (LimitId id : untold) {
      LimitShare limit = limits.get(id);
      Row row = limit == null ? null : limit.untold();
      if (row != null && changed.size() < counted.size() + MOST_CALLS) {
        changed.add(new Told.Share(id, row));
      }
    }
    return new Beat(
        number,
        epoch,
        count,
        version,
        unstated.isEmpty(),
        doubts,
        remembers,
        peers.known(now),
        still,
        peers.forgotten(now),
        waits,
        now - epochNanos > ShareTerms.watched(terms.graceNanos()),
        leaves,
        changed,
        toldUpTo);
  }

  /** Returns whether it hears the store, so that a beat that stands still means something. */
  private boolean isHeard(long now) {
    return now - contactNanos < terms.leaseNanos();
  }

  private void send(Message message) {
    store
        .exchange(message)
        .whenComplete(
            (reply, failure) -> {
              arrived.add(new Arrived(message, failure == null ? reply : null));
              alarm.soon(this::step);
            });
  }

  private void arrive(Arrived each, long now) {
    Sent of = sent;
    if (of == null || of.message().beat().number() != each.message().beat().number()) {
      return; // given up: nothing of it is used
    }
    sent = null;
    Reply reply = each.reply();
    boolean answered = reply != null && now - of.atNanos() < terms.timeoutNanos();
    if (reply != null && answered) {
      take(of, reply, now);
    }
    of.end(answered);
  }

  private void take(Sent of, Reply reply, long now) {
    if (now - contactNanos > terms.leaseNanos()) {
      peers.watchAnew(now);
    }
    contactNanos = of.atNanos();
    BeatAnswer beat = reply.beat();
    take(beat, now);
    if (beat.epoch().equals(of.message().beat().epoch())) {
      of.message().beat().told().forEach(this::haveTold);
    }
    if (beat.buried()) {
      tellContact(now); // what waits would be refused if it had no share while the store is away
      limits.values().forEach(limit -> limit.bury(now));
      stateAll(now);
    }
    for (int i = 0; i < reply.answers().size(); i++) {
      Call call = of.message().calls().get(i);
      Answer answer = reply.answers().get(i);
      LimitShare limit = limits.get(call.id());
      if (limit != null && call.sequence() == limit.sequence() && call.epoch().equals(epoch)) {
        doubts |= limit.answered(call, answer, !beat.buried(), now);
        if (answer.outcome() != Outcome.LATE) {
          unstated.remove(call.id());
        }
        if (call.use().isLong() && answer.taken()) {
          told.hear(call.id(), answer.rows(), now);
          untold.add(call.id());
        }
        limit.setStrangers(peers.strangers(answer.rows(), now));
        forgetIfGone(limit);
      }
    }
  }

  private void haveTold(Told own) {
    switch (own) {
      case Told.Counted counted -> counts.haveTold(counted);
      case Told.Share share -> haveTold(share);
    }
  }

  private void haveTold(Told.Share own) {
    LimitShare limit = limits.get(own.id());
    if (limit != null) {
      limit.told(own.row());
    }
    if (limit == null || limit.untold() == null) {
      untold.remove(own.id());
    }
  }

  /** Makes all limits state anew what they hold. */
  private void stateAll(long now) {
    unstated.clear();
    for (LimitShare each : limits.values()) {
      if (!isStated(each, now)) {
        unstated.add(each.id());
      }
      if (each.untold() != null) {
        untold.add(each.id());
      }
    }
  }

  private void take(BeatAnswer answer, long now) {
    if (!answer.epoch().equals(epoch)) {
      epoch = answer.epoch();
      epochNanos = now;
      settled = false;
      doubts = false;
      limits.values().forEach(LimitShare::tellAgain);
      counts.tellAgain();
      stateAll(now);
    }
    settled = answer.settled();
    remembers |= settled;
    uncertain = answer.uncertain();
    listed = answer.listed();
    count = answer.count();
    version = answer.version();
    toldUpTo = answer.toldUpTo();
    told.hear(answer.told(), member, now);
    if (!answer.complete()) {
      dueNanos = now + LimitShare.LEAST_NANOS;
    }
    if (counts.hear(answer, member, contactNanos, now)) {
      countedNanos = now;
      dueNanos = Math.min(dueNanos, contactNanos + counts.intervalNanos());
    }
    peers.heard(answer.peers(), now);
    Set<LimitId> next = new HashSet<>(answer.wanted());
    for (LimitId each : wanted) {
      LimitShare limit = next.contains(each) ? null : limits.get(each);
      if (limit != null) {
        limit.setWanted(false);
      }
    }
    for (LimitId each : next) {
      LimitShare limit = limits.get(each);
      if (limit != null) {
        limit.setWanted(true);
        urgent.add(each);
      }
    }
    wanted = next;
  }
}
