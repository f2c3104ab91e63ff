package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.queue.Ticket;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LineTest {
  private final Quota quota = new Quota("q", Charge.TOTAL, List.of());
  private final Line line = quota.line();
  private final List<String> woken = new ArrayList<>();

  private final class Lane implements Line.Waiter {
    final String name;
    final long order;
    int skips;
    int most = Integer.MAX_VALUE;
    boolean lacksMore;
    boolean holds;
    int claimsElsewhere;
    boolean left;
    boolean keeps;

    Lane(String name, long order) {
      this.name = name;
      this.order = order;
    }

    @Override
    public long headOrder() {
      return order;
    }

    @Override
    public boolean holds() {
      return holds;
    }

    @Override
    public boolean precedes(Ticket gone) {
      return order < gone.order();
    }

    @Override
    public boolean unskippable(Ticket gone) {
      return precedes(gone) && skips >= most;
    }

    @Override
    public void skip(Ticket gone) {
      skips++;
    }

    @Override
    public @Nullable Quota claim(Ticket gone, long now) {
      if (claimsElsewhere > 0) {
        claimsElsewhere--;
        return new Quota("another", Charge.TOTAL, List.of());
      }
      return !lacksMore && line.claim(this, ticket(order, holds)) ? quota : null;
    }

    @Override
    public boolean waits(Ticket ticket) {
      return !left;
    }

    @Override
    public void wake() {
      woken.add(name);
    }

    @Override
    public boolean keeps() {
      return keeps;
    }
  }

  private static Ticket ticket(long order) {
    return new Ticket(order, Cost.NO_TOKENS, 0, 0, Ticker.NEVER);
  }

  private static Ticket ticket(long order, boolean holds) {
    return new Ticket(order, Cost.NO_TOKENS, 0, 0, Ticker.NEVER) {
      @Override
      public boolean holds() {
        return holds;
      }
    };
  }

  private static long keptFor(Line of, Lane waiter) {
    Ticket ticket = of.keptFor(waiter);
    return ticket == null ? -1 : ticket.order();
  }

  /** Does what a dispatcher does before it takes from a quota; returns whether it may take. */
  private boolean passes(Lane waiter, long order, long now) {
    Ticket gone = ticket(order);
    line.ask(waiter, gone, now);
    if (line.keptFrom(order, false)) {
      return false;
    }
    Set<Line.Waiter> skipped = new HashSet<>();
    line.skipped(waiter, gone, skipped);
    skipped.forEach(each -> each.skip(gone));
    return true;
  }

  @Test
  void laterTakes_skipEarlierOnesAndOnlyThose() {
    Lane early = new Lane("early", 1);
    Lane late = new Lane("late", 9);
    Lane taker = new Lane("taker", 5);
    line.join(early);
    line.join(late);
    line.join(taker);
    assertThat(passes(taker, 5, 0)).isTrue();
    assertThat(early.skips).isEqualTo(1);
    assertThat(late.skips).isZero();
    assertThat(taker.skips).isZero();
  }

  @Test
  void skippedEnough_claimsInsteadOfBeingSkippedOnceMore() {
    Lane early = new Lane("early", 1);
    early.most = 2;
    Lane taker = new Lane("taker", 5);
    line.join(early);
    assertThat(passes(taker, 5, 0)).isTrue();
    assertThat(passes(taker, 6, 0)).isTrue();
    assertThat(passes(taker, 7, 0)).isFalse();
    assertThat(early.skips).isEqualTo(2);
    assertThat(keptFor(line, early)).isEqualTo(1);
    assertThat(line.keptFrom(7, false)).isTrue();
    assertThat(line.keptFrom(1, false)).isFalse();
    assertThat(woken).containsExactly("early");
  }

  @Test
  void skippedEnoughButLackingMore_doesNotHoldOthersUp() {
    Lane early = new Lane("early", 1);
    early.most = 0;
    early.lacksMore = true;
    line.join(early);
    assertThat(passes(new Lane("taker", 5), 5, 0)).isTrue();
    assertThat(line.kept()).isFalse();
  }

  @Test
  void twoThatMayNotBeSkipped_whoHoldsSomethingClaimsFirst() {
    Lane early = new Lane("early", 1);
    early.most = 0;
    Lane holder = new Lane("holder", 2);
    holder.most = 0;
    holder.holds = true;
    line.join(early);
    line.join(holder);
    assertThat(line.ask(new Lane("taker", 5), ticket(5), 0)).isTrue();
    assertThat(woken).containsExactly("holder");
    assertThat(keptFor(line, holder)).isEqualTo(2);
  }

  @Test
  void firstOfThemClaimsAnotherQuota_theNextClaimsThisOne() {
    Lane several = new Lane("several", 1);
    several.most = 0;
    several.claimsElsewhere = 1;
    line.join(several);
    assertThat(passes(new Lane("taker", 5), 5, 0)).isFalse();
    assertThat(several.skips).isZero();
  }

  @Test
  void oneClaimALimit_theFirstStands() {
    Lane first = new Lane("first", 1);
    Lane second = new Lane("second", 2);
    assertThat(line.claim(first, ticket(1))).isTrue();
    assertThat(line.claim(second, ticket(2))).isFalse();
    assertThat(line.claim(first, ticket(1))).isTrue();
    line.release(ticket(2));
    assertThat(line.kept()).isTrue();
    line.release(ticket(1));
    assertThat(line.kept()).isFalse();
    assertThat(line.claim(second, ticket(2))).isTrue();
    assertThat(keptFor(line, second)).isEqualTo(2);
    assertThat(keptFor(line, first)).isEqualTo(-1);
  }

  @Test
  void ticketOfAClaimIsDecided_claimIsVoid_andAllLookAgain() {
    Ticket ticket = ticket(5);
    line.join(new Lane("other", 7));
    line.claim(new Lane("claimant", 5), ticket);
    ticket.decide(Ticket.State.GRANTED);
    assertThat(line.kept()).isFalse();
    assertThat(line.keptFrom(7, false)).isFalse();
    assertThat(woken).containsExactly("other");
  }

  @Test
  void ticketOfAClaimHasLeftItsLane_anotherMayClaim() {
    Lane claimant = new Lane("claimant", 5);
    line.claim(claimant, ticket(5));
    claimant.left = true;
    assertThat(line.keptFor(5)).isFalse();
    assertThat(line.claim(new Lane("other", 7), ticket(7))).isTrue();
  }

  @Test
  void ticketComesBackWithItsOldNumber_claimOfTheOneThatWentIsNotIts() {
    Ticket went = ticket(5);
    Lane lane = new Lane("lane", 5);
    line.claim(lane, went);
    went.decide(Ticket.State.GRANTED);
    Ticket back = ticket(5);
    assertThat(line.claim(lane, back)).isTrue();
    assertThat(line.keptFor(lane)).isSameAs(back);
  }

  @Test
  void claimEnds_wakesTheOldestFirst() {
    line.join(new Lane("c", 30));
    line.join(new Lane("a", 10));
    line.join(new Lane("empty", Long.MAX_VALUE));
    line.join(new Lane("b", 20));
    line.claim(new Lane("x", 5), ticket(5));
    line.release(ticket(5));
    assertThat(woken).containsExactly("a", "b", "c", "empty");
  }

  @Test
  void left_isNeitherSkippedNorWoken() {
    Lane gone = new Lane("gone", 1);
    line.join(gone);
    line.leave(gone);
    passes(new Lane("taker", 5), 5, 0);
    line.wake();
    assertThat(gone.skips).isZero();
    assertThat(woken).isEmpty();
  }

  @Test
  void changedQuota_wakesWhoWait() {
    line.join(new Lane("a", 1));
    quota.change(Charge.OPENAI, List.of());
    assertThat(woken).containsExactly("a");
  }

  @Test
  void keptForOneThatHoldsNothing_onlyWhoHoldsSomethingPasses() {
    assertThat(line.kept(false)).isFalse();
    assertThat(line.keptFor(1)).isFalse();
    assertThat(line.keptFrom(ticket(2))).isFalse();
    line.claim(new Lane("early", 1), ticket(1));
    assertThat(line.kept(false)).isTrue();
    assertThat(line.kept(true)).isFalse();
    assertThat(line.keptFor(1)).isTrue();
    assertThat(line.keptFor(2)).isFalse();
    assertThat(line.keptFrom(ticket(1))).isFalse();
    assertThat(line.keptFrom(ticket(2))).isTrue();
    assertThat(line.keptFrom(ticket(2, true))).isFalse();
  }

  @Test
  void keptForOneThatHoldsSomething_nobodyPasses() {
    line.claim(new Lane("holder", 1), ticket(1, true));
    assertThat(line.kept(false)).isTrue();
    assertThat(line.kept(true)).isTrue();
    assertThat(line.keptFrom(ticket(2, true))).isTrue();
    assertThat(line.claim(new Lane("other", 0), ticket(0, true))).isFalse();
  }

  @Test
  void oneThatHoldsSomethingClaims_claimOfOneThatHoldsNothingIsTakenOver() {
    Lane early = new Lane("early", 1);
    Lane holder = new Lane("holder", 2);
    line.claim(early, ticket(1));
    assertThat(line.claim(holder, ticket(2, true))).isTrue();
    assertThat(keptFor(line, holder)).isEqualTo(2);
    assertThat(line.claim(early, ticket(1))).isFalse();
  }

  @Test
  void noneMayNotBeSkipped_noClaimIsToldOf() {
    line.join(new Lane("early", 1));
    assertThat(line.ask(new Lane("taker", 5), ticket(5), 0)).isFalse();
    assertThat(line.kept()).isFalse();
  }

  @Test
  void kept_noneOfTheOthersClaimsBesides() {
    Lane early = new Lane("early", 1);
    early.most = 0;
    line.join(early);
    line.claim(new Lane("claimant", 2), ticket(2));
    assertThat(line.ask(new Lane("taker", 5), ticket(5), 0)).isFalse();
    assertThat(woken).isEmpty();
  }

  @Test
  void oneThatMayNotBeSkippedLacksMore_noClaimIsToldOf_andItIsNotWoken() {
    Lane early = new Lane("early", 1);
    early.most = 0;
    early.lacksMore = true;
    line.join(early);
    assertThat(line.ask(new Lane("taker", 5), ticket(5), 0)).isFalse();
    assertThat(woken).isEmpty();
  }

  @Test
  void oneThatMayNotBeSkippedClaimsAnotherQuotaOnly_isWokenAndToldOf_andThisIsNotKept() {
    Lane early = new Lane("early", 1);
    early.most = 0;
    early.claimsElsewhere = 1;
    early.lacksMore = true;
    line.join(early);
    assertThat(line.ask(new Lane("taker", 5), ticket(5), 0)).isTrue();
    assertThat(woken).containsExactly("early");
    assertThat(line.kept()).isFalse();
  }

  @Test
  void nobodyWaits_whoComesMayTake_unlessItIsKeptForAnother() {
    Set<Line.Waiter> skipped = new HashSet<>();
    assertThat(line.lets(ticket(5), skipped, 0)).isTrue();
    line.claim(new Lane("early", 1), ticket(1));
    assertThat(line.lets(ticket(5), skipped, 0)).isFalse();
    assertThat(line.lets(ticket(5, true), skipped, 0)).isTrue();
    assertThat(skipped).isEmpty();
  }

  @Test
  void othersWait_whoComesMayTake_andSkipsThoseWhoCameBefore() {
    Lane early = new Lane("early", 1);
    line.join(early);
    line.join(new Lane("late", 9));
    Set<Line.Waiter> skipped = new HashSet<>();
    assertThat(line.lets(ticket(5), skipped, 0)).isTrue();
    assertThat(skipped).containsExactly(early);
    assertThat(early.skips).isZero();
  }

  @Test
  void oneThatMayNotBeSkippedWaits_whoComesMayNotTake_andItIsKeptForTheOther() {
    Lane early = new Lane("early", 1);
    early.most = 0;
    line.join(early);
    Set<Line.Waiter> skipped = new HashSet<>();
    assertThat(line.lets(ticket(5), skipped, 0)).isFalse();
    assertThat(skipped).isEmpty();
    assertThat(keptFor(line, early)).isEqualTo(1);
    assertThat(woken).containsExactly("early");
  }

  @Test
  void wakeKeepers_wakesOnlyThoseForWhomSomethingIsKept() {
    Lane keeper = new Lane("keeper", 2);
    keeper.keeps = true;
    Woken onlooker = new Woken();
    line.join(new Lane("other", 1));
    line.join(keeper);
    line.join(onlooker);
    line.wakeKeepers();
    assertThat(woken).containsExactly("keeper");
    assertThat(onlooker.times).isZero();
  }

  @Test
  void onlooker_isWokenAfterWhoHasTickets_andHoldsNobodyUp() {
    Onlooker onlooker =
        new Onlooker() {
          @Override
          public void wake() {
            woken.add("onlooker");
          }
        };
    line.join(onlooker);
    line.join(new Lane("late", 9));
    Set<Line.Waiter> skipped = new HashSet<>();
    assertThat(line.lets(ticket(5), skipped, 0)).isTrue();
    assertThat(skipped).isEmpty();
    line.wake();
    assertThat(woken).containsExactly("late", "onlooker");
    assertThat(onlooker.holds()).isFalse();
    assertThat(onlooker.unskippable(ticket(Long.MAX_VALUE))).isFalse();
    line.claim(onlooker, ticket(1));
    assertThat(line.kept()).as("it has no ticket, so the claim is void").isFalse();
  }
}
