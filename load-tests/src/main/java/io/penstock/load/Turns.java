package io.penstock.load;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Who goes when, where all take turns. */
final class Turns {
  private Turns() {}

  /** Returns all in an order that is another one each round: nobody is always after the same. */
  static <T> List<T> of(List<T> all, int round) {
    List<T> turned = new ArrayList<>(all);
    // two that are rotated and reversed stand as before
    Collections.rotate(turned, all.size() == 2 ? 0 : round);
    return round % 2 == 0 ? turned : turned.reversed();
  }
}
