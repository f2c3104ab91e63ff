package io.penstock.operator;

import io.penstock.event.Event;
import io.penstock.event.EventSink;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The state of the sharing of limits with other instances, as the latest events describe it.
 * Listens to all events; safe from any thread.
 */
public final class SharingPeers implements EventSink {
  /**
   * State of the sharing of one kind of limits.
   *
   * @param sharing the kind of limits: {@code exact} or {@code eventual}
   * @param change the last change, in one or two words
   * @param well whether these limits are shared as intended
   * @param detail the consequence, in a few words
   */
  record Standing(String sharing, String change, boolean well, String detail) {}

  private final Map<String, Standing> standings = new TreeMap<>();

  @Override
  public synchronized void publish(Event event) {
    if (!(event instanceof Event.Synced synced)) {
      return;
    }
    String sharing = synced.sharing();
    if (sharing != null) { // otherwise only the number of members changed
      boolean well =
          switch (synced.change()) {
            case JOINED, LEARNED, REJOINED, MEMBERS -> true;
            case JOINING, LEARNING, CUT_OFF -> false;
          };
      String change = synced.change().name().toLowerCase(Locale.ROOT).replace('_', ' ');
      standings.put(sharing, new Standing(sharing, change, well, synced.detail()));
    }
  }

  /** Returns one entry for each kind of shared limits; none if none are shared. */
  synchronized List<Standing> standings() {
    return List.copyOf(standings.values());
  }
}
