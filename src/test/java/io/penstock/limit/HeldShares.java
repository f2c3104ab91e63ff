package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.time.Ticker;

/** Limits that are held to shares in tests, with a lease that always holds. */
public final class HeldShares {
  private HeldShares() {}

  /** Holds a limit to a share of 0; {@code onShortage} is run when a larger one is lacking. */
  public static ShareDemand none(Limit limit, Runnable onShortage, long now) {
    ShareDemand demand = new ShareDemand(onShortage);
    limit.sharing().holdShares(at -> true, demand, now);
    limit.sharing().hear(news -> news.in(ShareNews.Contact.READY));
    return demand;
  }

  /** Gives a limit that is held to shares another one. */
  public static void give(Limit limit, long amount, long now) {
    give(limit, amount, Ticker.NEVER, now);
  }

  /** Gives a limit with fixed windows, of which one begins at {@code gridNanos}, another share. */
  public static void give(Limit limit, long amount, long gridNanos, long now) {
    var _ =
        limit
            .sharing()
            .changeShare(new ShareChange(amount, amount, Ticker.NEVER, gridNanos, true), now);
  }

  /** Lets a limit hear that nobody has {@code least} or more left of it. */
  public static void deny(Limit limit, long least, long now) {
    limit.sharing().hear(news -> new ShareNews(0, least, now, ShareNews.Contact.READY, null));
  }

  /** Lets a limit hear that others counted an amount just now. */
  public static void told(Limit limit, long amount, long now) {
    long window = limit.spec().windowNanos();
    PeerCounts others = PeerCounts.none(window, 0).withReport(now / window, amount, now, 0, now);
    limit.sharing().hear(news -> news.with(others));
  }

  static LimitAnswer.Receipt taken(Limit limit, Weight weight, long now) {
    LimitAnswer answer = limit.take(weight, now);
    assertThat(answer).isInstanceOf(LimitAnswer.Receipt.class);
    return (LimitAnswer.Receipt) answer;
  }

  static LimitAnswer.Receipt taken(Limit limit, long amount, long now) {
    return taken(limit, Weight.exactly(amount), now);
  }

  /** Lets a limit hear of another contact with the store. */
  public static void contact(Limit limit, ShareNews.Contact contact) {
    limit.sharing().hear(news -> news.in(contact));
  }
}
