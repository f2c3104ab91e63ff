package io.penstock.provider.request;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The members of a JSON object that decide what a request costs and whether it is allowed. Each may
 * be there only once, and only in its own letters: of repeated members some parsers take the first
 * and some the last, and some compare names without regard to case. So such a body may mean
 * something else to the provider than to the gateway.
 */
public final class SingleMembers {
  /** As many members as {@link #seen} has bits. */
  private static final int MOST_MEMBERS = Long.SIZE;

  private final List<List<String>> members = new ArrayList<>();
  private long seen;
  private @Nullable String repeated;
  private @Nullable String otherCase;

  /** Adds a member that the provider knows under these names. */
  public SingleMembers add(String... names) {
    if (members.size() == MOST_MEMBERS) {
      throw new IllegalStateException("there are " + MOST_MEMBERS + " members already");
    }
    members.add(List.of(names));
    return this;
  }

  /** Notes that the object has a member. */
  public void found(String name) {
    for (int i = 0; i < members.size(); i++) {
      for (String known : members.get(i)) {
        if (known.equalsIgnoreCase(name)) {
          note(known, name, 1L << i);
          return;
        }
      }
    }
  }

  private void note(String known, String name, long bit) {
    if ((seen & bit) != 0) {
      repeated =
          known
              + " is there twice (upper and lower case count as the same), and which of the two"
              + " counts differs between providers; send it once";
    } else if (!known.equals(name)) {
      otherCase =
          known
              + " is there in other letters (upper and lower case), which some providers read and"
              + " others do not; write it as it is written here";
    }
    seen |= bit;
  }

  /** Returns what is wrong with the members, or null. */
  public @Nullable String fault() {
    return repeated == null ? otherCase : repeated;
  }
}
