package io.penstock.sharing;

import java.util.List;

/** Rounds and members of a store of slices when nothing is lost. */
public final class SliceFixture {
  private SliceFixture() {}

  /** Returns a round that reports everything, of a member that has had no answer so far. */
  public static SliceStore.Round round(String member, long number, List<SliceStore.Ask> asks) {
    return new SliceStore.Round(member, number, asks, true, List.of(), null, List.of(), false);
  }

  /** Returns a member with a complete report in its last round. */
  public static SliceStore.Member member(String name, long silentNanos) {
    return new SliceStore.Member(name, silentNanos, silentNanos, silentNanos, false);
  }
}
