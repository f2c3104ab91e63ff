package io.penstock.provider.request;

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

  private final List<List<String>> members;
  private long seen;
  private @Nullable String repeated;
  private @Nullable String otherCase;

  /**
   * @param members the names of the members; those that the provider knows under several names are
   *     written as {@code one|other}
   */
  public SingleMembers(List<String> members) {
    if (members.size() > MOST_MEMBERS) {
      throw new IllegalArgumentException(
          "there are " + members.size() + " members, expected at most " + MOST_MEMBERS);
    }
    this.members = members.stream().map(each -> List.of(each.split("\\|"))).toList();
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
