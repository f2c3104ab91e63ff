package io.penstock.operator;

import io.penstock.event.Event;
import io.penstock.event.Events;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * With whom this instance shares limits, as it was told last. A listener of all events; safe from
 * any thread.
 */
final class Company implements Events {
  /**
   * How it stands with those it shares some limits with.
   *
   * @param sharing of which limits, {@code exact} or {@code eventual}
   * @param change what it was told last, in one word
   * @param well whether these limits are shared as they are meant to be
   * @param detail what follows, in a few words
   */
  record Standing(String sharing, String change, boolean well, String detail) {}

  /**
   * What it tells.
   *
   * @param members how many instances share limits as far as is known, this one included
   * @param sync one for each kind of shared limits; empty where none are shared
   */
  record View(long members, List<Standing> sync) {}

  private final Map<String, Standing> standings = new TreeMap<>();
  private long members = 1;

  @Override
  public synchronized void publish(Event event) {
    if (!(event instanceof Event.Synced synced)) {
      return;
    }
    if (synced.members() > 0) {
      members = synced.members();
    }
    String sharing = synced.sharing();
    if (sharing != null) { // else only the number is another
      boolean well =
          switch (synced.change()) {
            case JOINED, LEARNED, RECOVERED, REJOINED, MEMBERS -> true;
            case JOINING, LEARNING, RECOVERING, CUT_OFF -> false;
          };
      String change = synced.change().name().toLowerCase(Locale.ROOT).replace('_', ' ');
      standings.put(sharing, new Standing(sharing, change, well, synced.detail()));
    }
  }

  synchronized View view() {
    return new View(members, List.copyOf(standings.values()));
  }
}
