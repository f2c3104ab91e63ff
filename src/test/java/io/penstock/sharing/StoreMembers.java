package io.penstock.sharing;

import io.penstock.sharing.SliceStore.Member;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Members known to a store within one process, with the times of their rounds. A member that is
 * silent for more than an hour is forgotten. Times are microseconds. Belongs to one thread at a
 * time.
 */
final class StoreMembers {
  /** Silence after which a member is forgotten. */
  static final long FORGET_MICROS = TimeUnit.HOURS.toMicros(1);

  private static final long NANOS_PER_MICRO = 1_000;

  private static final class Known {
    private long heardAt;
    private long number = -1;
    private boolean left;

    /**
     * Time of its last complete report; null for never. The next field is the time of its last
     * round that knew the present run.
     */
    private @Nullable Long wholeAt;

    private @Nullable Long awareAt;

    Known(long heardAt) {
      this.heardAt = heardAt;
    }
  }

  private final Map<String, Known> members = new LinkedHashMap<>();

  /**
   * Records a round of a member. A late or repeated round does not count.
   *
   * @param whole whether the round reports everything the member has
   * @param aware whether the member knows the present run and life of the store
   * @param leaves whether it is the last round of the member
   */
  void record(String name, long number, boolean whole, boolean aware, boolean leaves, long now) {
    Known member = members.computeIfAbsent(name, absent -> new Known(now));
    if (member.number < number) {
      member.number = number;
      member.heardAt = now;
      if (whole) {
        member.wholeAt = now;
      }
      if (aware) {
        member.awareAt = now;
      }
      member.left |= leaves;
    }
  }

  /** Records when another member heard from the member {@code name}. */
  void missed(String name, long heardAt) {
    Known member = members.computeIfAbsent(name, absent -> new Known(heardAt));
    member.heardAt = Math.max(member.heardAt, heardAt);
  }

  /** Forgets which members know the run, because a new run has begun. */
  void forgetWhoIsAware() {
    members.values().forEach(member -> member.awareAt = null);
  }

  /** Forgets which members have reported everything, because a new life has begun. */
  void forgetWhatWasSaid() {
    forgetWhoIsAware();
    members.values().forEach(member -> member.wholeAt = null);
  }

  /** Returns the members that were heard within the last hour, and forgets the others. */
  List<Member> living(long now) {
    members.values().removeIf(member -> now - member.heardAt > FORGET_MICROS);
    List<Member> living = new ArrayList<>();
    members.forEach(
        (name, member) ->
            living.add(
                new Member(
                    name,
                    nanosSince(member.heardAt, now),
                    nanosSince(member.wholeAt, now),
                    nanosSince(member.awareAt, now),
                    member.left)));
    return living;
  }

  /**
   * Returns how long ago a time was, 0 if the clock has been set back since; {@link Long#MAX_VALUE}
   * for null.
   */
  static long nanosSince(@Nullable Long at, long now) {
    return at == null ? Long.MAX_VALUE : Math.max(0, now - at) * NANOS_PER_MICRO;
  }
}
