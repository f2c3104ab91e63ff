package io.penstock.simulator;

import io.penstock.simulator.OracleLimit.Ask;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The provider's side of one limit: everything by the instant it really happened, without sub-cells
 * and guards. At a release, every trailing window must be within the limit, reserved output
 * included. Output that running answers produced beyond their cost is the overrun, which is not
 * counted until they end.
 */
final class ProviderLedger {
  private final class Entry {
    private final long instant;
    private long amount;
    private boolean counts;
    private boolean past;

    Entry(long instant, long amount, boolean counts) {
      this.instant = instant;
      set(amount, counts);
    }

    private long counted() {
      return counts && !past ? amount : 0;
    }

    private void set(long nextAmount, boolean nextCounts) {
      sum -= counted();
      amount = nextAmount;
      counts = nextCounts;
      sum += counted();
    }

    /** Stops counting it when the window has passed it. */
    void pass() {
      sum -= counted();
      past = true;
    }
  }

  private final long window;
  private final Deque<Entry> entries = new ArrayDeque<>();

  /** Sum of the entries that count. */
  private long sum;

  private long reserved;
  private long overrun;

  /** The sum of the discounts of requests whose answers have not stated their input. */
  private long discounts;

  /** Creates a ledger; a window of 0 records nothing, for limits that no provider sees. */
  ProviderLedger(long window) {
    this.window = window;
  }

  /** Returns the output that running answers produced beyond their cost. */
  long overrun() {
    return overrun;
  }

  /**
   * Records a release.
   *
   * @param discount the part of the input that is not in the demand because a cache may have it
   * @param bound the most that all open discounts together may be; a single one may be larger
   */
  Account release(long limit, Ask ask, long discount, long bound, long now) {
    Account account = new Account(ask, discount);
    if (window > 0) {
      for (Entry first = entries.peekFirst();
          first != null && first.instant <= now - window;
          first = entries.peekFirst()) {
        first.pass();
        entries.pollFirst();
      }
      long holds = sum + reserved + ask.all();
      if (ask.all() > 0 && holds > limit) {
        throw new InvariantViolation(
            "a trailing window holds %d of %d after a release of %d, %d of it held"
                .formatted(holds, limit, ask.all(), reserved));
      }
      discounts += discount;
      if (discount > 0 && holds + discounts > limit + Math.max(bound, discount)) {
        throw new InvariantViolation(
            "a trailing window may hold %d of %d if no cache has anything, %d more are allowed"
                .formatted(holds + discounts, limit, Math.max(bound, discount)));
      }
      account.released = account.add(ask.taken(), now, true);
      reserved += ask.held();
    }
    return account;
  }

  /** The part of one ticket. */
  final class Account {
    private final List<Entry> mine = new ArrayList<>();
    private Entry released = new Entry(0, 0, false);
    private long produced;
    private long holding;
    private long beyond;

    private long discount;

    private Account(Ask ask, long discount) {
      this.discount = discount;
      this.holding = ask.held();
    }

    private Entry add(long amount, long now, boolean counts) {
      Entry entry = new Entry(now, amount, counts);
      entries.addLast(entry);
      mine.add(entry);
      return entry;
    }

    void produced(long output, long now) {
      if (window == 0) {
        return;
      }
      if (output < produced) {
        shrink(produced - output);
      } else if (output > produced) {
        long within = Math.min(holding, output - produced);
        add(within, now, true);
        holding -= within;
        reserved -= within;
        long more = output - produced - within;
        if (more > 0) {
          add(more, now, false);
          beyond += more;
          overrun += more;
        }
      }
      produced = output;
    }

    /** Takes back output that was counted too high, from the newest part on. */
    private void shrink(long by) {
      long left = by;
      for (int at = mine.size() - 1; at > 0 && left > 0; at--) {
        Entry entry = mine.get(at);
        long less = Math.min(left, entry.amount);
        entry.set(entry.amount - less, entry.counts);
        left -= less;
      }
    }

    /** The answer states its input before its end. */
    void stated(long usedAtRelease) {
      if (window > 0) {
        released.set(usedAtRelease, released.counts);
        discounts -= discount;
        discount = 0;
      }
    }

    void settled(long usedAtRelease) {
      if (window == 0) {
        return;
      }
      released.set(usedAtRelease, released.counts);
      for (Entry entry : mine) {
        entry.set(entry.amount, true);
      }
      close();
    }

    void returned() {
      if (window == 0) {
        return;
      }
      for (Entry entry : mine) {
        entry.set(0, entry.counts);
      }
      close();
    }

    private void close() {
      reserved -= holding;
      discounts -= discount;
      discount = 0;
      overrun -= beyond;
    }
  }
}
