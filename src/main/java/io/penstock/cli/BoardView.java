package io.penstock.cli;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The user's position on the screen: the selected endpoint, and whether its details are shown. */
final class BoardView {
  private @Nullable String selected;
  private boolean info;
  private int skipped;

  /** Returns the index of the selected row; that of the first endpoint if none is selected. */
  int place(List<EndpointTree.Row> rows) {
    int first = -1;
    for (int at = 0; at < rows.size(); at++) {
      WatchedEndpoint endpoint = rows.get(at).endpoint();
      if (endpoint != null && endpoint.path().equals(selected)) {
        return at;
      }
      first = first < 0 && endpoint != null ? at : first;
    }
    return first;
  }

  /** Returns the selected endpoint, if any. */
  @Nullable WatchedEndpoint endpoint(List<EndpointTree.Row> rows) {
    int place = place(rows);
    return place < 0 ? null : rows.get(place).endpoint();
  }

  /** Moves the selection by a number of endpoints, down or up, as far as there are any. */
  void move(List<EndpointTree.Row> rows, int by) {
    int place = place(rows);
    int left = Math.abs(by);
    for (int at = place + Integer.signum(by);
        left > 0 && at >= 0 && at < rows.size();
        at += Integer.signum(by)) {
      if (rows.get(at).endpoint() != null) {
        place = at;
        left--;
      }
    }
    if (place >= 0) {
      String path = Objects.requireNonNull(rows.get(place).endpoint()).path();
      skipped = path.equals(selected) ? skipped : 0;
      selected = path;
    }
  }

  boolean info() {
    return info;
  }

  void toggleInfo() {
    info = !info;
    skipped = 0;
  }

  /** Returns how many lines of the details are scrolled past. */
  int skipped() {
    return skipped;
  }

  void skip(int lines) {
    skipped = Math.max(0, skipped + lines);
  }
}
