package io.penstock.sync;

import io.penstock.quota.Supply;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The limits that the store lost alone, while others have to be told. Of one thread at a time. */
final class Lost {
  private final Set<SharedLimit> limits = new HashSet<>();

  void add(SharedLimit limit) {
    limits.add(limit);
  }

  /** Returns what the others are to be told now; what they were told is left out from now on. */
  List<Supply.Loss> losses(long now) {
    List<Supply.Loss> losses = new ArrayList<>();
    for (SharedLimit limit : List.copyOf(limits)) {
      Supply.Loss loss = limit.loss(now);
      if (loss == null) {
        limits.remove(limit);
      } else {
        losses.add(loss);
      }
    }
    return losses;
  }

  /** Takes in who was heard. */
  void heard(Supply.Answer answer, long now) {
    limits.forEach(limit -> limit.heard(answer, now));
  }
}
