package io.penstock.shares;

import io.penstock.limit.Limit;
import io.penstock.sharing.KnownPeerCounts;
import io.penstock.sharing.LimitId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Shares of all limits of one instance. They lie in a fixed number of slots of the store, each with
 * beats, a lease and an epoch of its own, so that slots fail one by one. The slot of a limit
 * follows from the name of the limit alone: instances never disagree about it, whichever servers
 * have the slots. A store of one master is one slot. Safe from any thread; no method blocks.
 */
public final class ShareSlots implements KnownPeerCounts {
  private final List<ShareSync> slots;

  /**
   * Creates an instance without limits; nothing is sent before {@link #start}.
   *
   * @param slots as many for all instances, in the same order; none when nothing is shared
   */
  public ShareSlots(List<ShareSync> slots) {
    this.slots = List.copyOf(slots);
  }

  /** Returns the slot of a limit. All measures of a limit are in the same. */
  private ShareSync of(LimitId id) {
    if (slots.size() == 1) {
      return slots.getFirst();
    }
    CRC32 sum = new CRC32(); // another function would separate instances of two versions
    sum.update(id.text().getBytes(StandardCharsets.UTF_8));
    return slots.get((int) (sum.getValue() % slots.size()));
  }

  /** Sends the first beats. */
  public void start() {
    slots.forEach(ShareSync::start);
  }

  /** See {@link ShareSync#setContactListener}. */
  public void setContactListener(Runnable listener) {
    slots.forEach(each -> each.setContactListener(listener));
  }

  /** See {@link ShareSync#add}. */
  public void add(LimitId id, ShareUser user) {
    of(id).add(id, user);
  }

  /** See {@link ShareSync#remove}. */
  public void remove(LimitId id) {
    of(id).remove(id);
  }

  /** See {@link ShareSync#count}. */
  public void count(LimitId id, Limit limit, boolean binds) {
    of(id).count(id, limit, binds);
  }

  /** See {@link ShareSync#uncount}. */
  public void uncount(LimitId id, boolean frees) {
    of(id).uncount(id, frees);
  }

  /** Returns the counts of all other instances for a limit, by cell; none if it is not counted. */
  public Map<Long, Long> cells(LimitId id) {
    return of(id).counts().cells(id);
  }

  @Override
  public long counted(LimitId id, long now) {
    return slots.isEmpty() ? 0 : of(id).counts().counted(id, now);
  }

  /**
   * Returns whether a limit that leaves room for others is new here, or nothing was heard of those
   * since its first decision, while this instance itself has counted nothing of it.
   */
  public boolean isCold(LimitId id, long now) {
    return !slots.isEmpty() && of(id).counts().isCold(id, now);
  }

  /** Returns whether the counts of others were heard in the last so many nanoseconds. */
  public boolean isHeard(LimitId id, long nanos, long now) {
    return of(id).counts().isHeard(nanos, now);
  }

  /** See {@link ShareSync#hearAnew}. */
  public CompletionStage<Boolean> hearAnew(LimitId id) {
    return of(id).hearAnew();
  }

  /** See {@link ShareSync#hurry}. */
  public void hurry(LimitId id) {
    of(id).hurry(id);
  }

  /** See {@link ShareSync#changed}. */
  public void changed(LimitId id) {
    of(id).changed(id);
  }

  /** Returns the lease that the share of a limit depends on. */
  public ShareLease lease(LimitId id) {
    return of(id).lease();
  }

  /**
   * Returns whether this instance may be given shares by all slots that answer, or could be by one
   * before they went away.
   */
  public boolean isReady() {
    List<ShareFigures.Contact> contacts = contacts();
    return contacts.stream().anyMatch(ShareFigures.Contact::isReady)
        && contacts.stream().allMatch(each -> each.isReady() || each.cutOff());
  }

  /** Returns the contact with each slot, always in the same order. */
  public List<ShareFigures.Contact> contacts() {
    return slots.stream().map(ShareSync::contact).toList();
  }

  /** Returns whether there is no store through which limits are shared. */
  public boolean isNone() {
    return slots.isEmpty();
  }

  /** Returns whether any limit leaves room for what others have counted. */
  public boolean leavesRoom() {
    return slots.stream().anyMatch(each -> each.counts().binding() > 0);
  }

  /** Returns whether no limit is held to shares. */
  public boolean isEmpty() {
    return slots.stream().allMatch(each -> each.limits().isEmpty());
  }

  /**
   * Gives up all shares but what was spent, and leaves.
   *
   * @return completes once each slot has answered, or could not be asked; fails if one failed
   */
  public CompletionStage<?> leave() {
    List<CompletableFuture<?>> left = new ArrayList<>();
    slots.forEach(each -> left.add(each.leave().toCompletableFuture()));
    return CompletableFuture.allOf(left.toArray(CompletableFuture[]::new));
  }

  /**
   * Releases in all slots what an instance may hold above what it stated as spent, unless it lives.
   */
  public CompletionStage<ShareRelease> release(String member) {
    if (slots.stream().anyMatch(each -> each.lives(member))) {
      return CompletableFuture.completedStage(ShareRelease.LIVES);
    }
    CompletionStage<ShareRelease> all = CompletableFuture.completedStage(ShareRelease.UNKNOWN);
    for (ShareSync each : slots) {
      all = all.thenCombine(each.release(member), ShareRelease::with);
    }
    return all;
  }

  /** Returns the state of each slot as this instance knows it, always in the same order. */
  public List<ShareFigures> figures() {
    return slots.stream().map(ShareSync::figures).toList();
  }

  /** Returns the limit with a name that {@link LimitId#toString} returns, or null. */
  public @Nullable LimitId named(String name) {
    return slots.stream()
        .flatMap(each -> each.limits().stream())
        .filter(id -> id.toString().equals(name))
        .findFirst()
        .orElse(null);
  }

  /** Returns the figures of one limit, or null when the store has not answered about it. */
  public ShareFigures.@Nullable OfLimit figures(LimitId id) {
    return of(id).figures(id);
  }
}
