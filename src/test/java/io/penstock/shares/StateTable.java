package io.penstock.shares;

import java.util.Arrays;

/** States in the order in which they were found, each with the event that led to it. */
final class StateTable {
  /** A state of the fleet: the number of the state of the store, and of each instance. */
  record State(int store, int a, int b, int c) {
    int node(int member) {
      return member == 0 ? a : member == 1 ? b : c;
    }

    State with(int member, int node) {
      return switch (member) {
        case 0 -> new State(store, node, b, c);
        case 1 -> new State(store, a, node, c);
        default -> new State(store, a, b, node);
      };
    }

    State withStore(int other) {
      return new State(other, a, b, c);
    }
  }

  private static final long MIX = 0x9E3779B97F4A7C15L;
  private static final int FIRST = 1 << 16;

  private int[] stores = new int[FIRST];
  private int[] as = new int[FIRST];
  private int[] bs = new int[FIRST];
  private int[] cs = new int[FIRST];
  private int[] parents = new int[FIRST];
  private byte[] events = new byte[FIRST];
  private int[] places = new int[4 * FIRST];
  private int size;

  int size() {
    return size;
  }

  State get(int at) {
    return new State(stores[at], as[at], bs[at], cs[at]);
  }

  int parent(int at) {
    return parents[at];
  }

  int event(int at) {
    return events[at];
  }

  /** Adds a state unless it is there. */
  void add(State state, int parent, int event) {
    int place = place(state);
    if (places[place] != 0) {
      return;
    }
    if (size == stores.length) {
      grow();
      place = place(state);
    }
    stores[size] = state.store();
    as[size] = state.a();
    bs[size] = state.b();
    cs[size] = state.c();
    parents[size] = parent;
    events[size] = (byte) event;
    places[place] = ++size;
  }

  private void grow() {
    int length = 2 * size;
    stores = Arrays.copyOf(stores, length);
    as = Arrays.copyOf(as, length);
    bs = Arrays.copyOf(bs, length);
    cs = Arrays.copyOf(cs, length);
    parents = Arrays.copyOf(parents, length);
    events = Arrays.copyOf(events, length);
    places = new int[4 * length];
    for (int each = 0; each < size; each++) {
      places[place(get(each))] = each + 1;
    }
  }

  /** Returns where a state is found, or belongs. */
  private int place(State state) {
    int mask = places.length - 1;
    long mixed = ((long) state.store() << 32 | state.a()) * MIX;
    mixed = (mixed ^ mixed >>> 32 ^ ((long) state.b() << 32 | state.c())) * MIX;
    int place = (int) (mixed ^ mixed >>> 32) & mask;
    while (places[place] != 0 && !isAt(places[place] - 1, state)) {
      place = (place + 1) & mask;
    }
    return place;
  }

  private boolean isAt(int at, State state) {
    return stores[at] == state.store()
        && as[at] == state.a()
        && bs[at] == state.b()
        && cs[at] == state.c();
  }
}
