package io.penstock;

import io.penstock.event.Event;
import io.penstock.event.Events;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How this instance stands with those it shares limits with, in the log: a line a change. */
final class SyncLog implements Events {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.sharing");

  @Override
  public void publish(Event event) {
    if (event instanceof Event.Synced synced) {
      switch (synced.change()) {
        case CUT_OFF, LEARNING, RECOVERING -> LOG.warn("shared limits: {}", synced.detail());
        case JOINING, JOINED, LEARNED, RECOVERED, REJOINED, MEMBERS ->
            LOG.info("shared limits: {}", synced.detail());
      }
    }
  }
}
