package io.penstock.slices;

import io.penstock.sharing.SliceStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Limits that the store lost while it kept others, as long as other members must be informed. Used
 * by one thread at a time.
 */
final class LostLimits {
  private final Set<SharedLimit> limits = new HashSet<>();

  void add(SharedLimit limit) {
    limits.add(limit);
  }

  /** Returns the losses to report now; a loss that all members know is dropped. */
  List<SliceStore.Loss> losses(long now) {
    List<SliceStore.Loss> losses = new ArrayList<>();
    for (SharedLimit limit : List.copyOf(limits)) {
      SliceStore.Loss loss = limit.loss(now);
      if (loss == null) {
        limits.remove(limit);
      } else {
        losses.add(loss);
      }
    }
    return losses;
  }

  /** Takes in which members were heard. */
  void heard(SliceStore.Answer answer, long now) {
    limits.forEach(limit -> limit.membersHeard(answer, now));
  }
}
