package io.penstock;

import io.penstock.event.Event;
import io.penstock.event.EventSink;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs changes in this instance's contact with the instances it shares limits with, one line each.
 */
final class SyncLog implements EventSink {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.sharing");

  @Override
  public void publish(Event event) {
    if (event instanceof Event.Synced synced) {
      switch (synced.change()) {
        case CUT_OFF, LEARNING -> LOG.warn("shared limits: {}", synced.detail());
        case JOINING, JOINED, LEARNED, REJOINED, MEMBERS ->
            LOG.info("shared limits: {}", synced.detail());
      }
    }
  }
}
