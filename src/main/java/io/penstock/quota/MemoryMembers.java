package io.penstock.quota;

import io.penstock.quota.Supply.Member;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Members that a store within one process has heard of, and when. A member that is silent for more
 * than an hour is forgotten. Times are microseconds. Belongs to one thread at a time.
 */
final class MemoryMembers {
  /** After so much silence a member is forgotten. */
  static final long FORGET_MICROS = TimeUnit.HOURS.toMicros(1);

  private static final long NANOS_PER_MICRO = 1_000;

  private static final class Known {
    private long heardAt;
    private long number = -1;
    private boolean left;

    /** When it said all it has, and when it was heard knowing the run; null for never. */
    private @Nullable Long wholeAt;

    private @Nullable Long awareAt;

    Known(long heardAt) {
      this.heardAt = heardAt;
    }
  }

  private final Map<String, Known> members = new LinkedHashMap<>();

  /**
   * Hears a round. A late or repeated one does not count.
   *
   * @param whole whether the member says all it has
   * @param aware whether it knows which run and life it talks to
   * @param leaves whether it is its last round
   */
  void hear(String name, long number, boolean whole, boolean aware, boolean leaves, long now) {
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

  /** Hears from another member when one was heard. */
  void missed(String name, long heardAt) {
    Known member = members.computeIfAbsent(name, absent -> new Known(heardAt));
    member.heardAt = Math.max(member.heardAt, heardAt);
  }

  /** Another run has told nobody anything yet. */
  void forgetWhoIsAware() {
    members.values().forEach(member -> member.awareAt = null);
  }

  /** Another life was told nothing yet. */
  void forgetWhatWasSaid() {
    forgetWhoIsAware();
    members.values().forEach(member -> member.wholeAt = null);
  }

  /** Returns all who were heard lately, and forgets the others. */
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

  /** Returns how long ago something was; the clock may have been set back since. */
  static long nanosSince(@Nullable Long at, long now) {
    return at == null ? Long.MAX_VALUE : Math.max(0, now - at) * NANOS_PER_MICRO;
  }
}
