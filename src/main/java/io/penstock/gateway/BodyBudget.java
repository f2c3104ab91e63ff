package io.penstock.gateway;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;

/**
 * The bytes of all bodies that are in memory at once: being read, waiting, or kept until their
 * upstream answers. While they are spent no body is read on; nothing is refused for it, the clients
 * wait. Safe from any thread.
 *
 * <p>Bodies that are complete give their bytes back by themselves, so it is enough to wait for
 * them. Were all bytes with bodies that are half read, nobody would ever go on: then the oldest of
 * those may, so that the budget is overrun by less than one body and one piece of each other. On
 * top come what the network layer has read ahead, a few pieces a connection, and what a JSON reader
 * holds of the one value it is in, about twice its length: the budget is no more than a part of the
 * heap.
 */
final class BodyBudget {
  private final long mostBytes;

  /** Bodies being read, oldest first. */
  private final SequencedSet<Claim> readers = new LinkedHashSet<>();

  /** Those of them that wait, with what is to be run when they may go on. */
  private final Map<Claim, Runnable> waiting = new LinkedHashMap<>();

  private long heldBytes;
  private long completeBytes;

  /** Makes a budget of that many bytes, ≥ 1. */
  BodyBudget(long mostBytes) {
    if (mostBytes < 1) {
      throw new IllegalArgumentException("mostBytes is " + mostBytes + ", expected at least 1");
    }
    this.mostBytes = mostBytes;
  }

  /** Returns the claim of one more body, which has nothing yet. */
  Claim claim() {
    return new Claim();
  }

  /** Returns how many bytes are held. */
  synchronized long heldBytes() {
    return heldBytes;
  }

  /** Returns the bound. */
  long mostBytes() {
    return mostBytes;
  }

  private boolean mayRead(Claim claim) {
    return heldBytes < mostBytes || (completeBytes == 0 && readers.getFirst() == claim);
  }

  /** Takes out those waiting who may go on now; each of them may read one piece. */
  private List<Runnable> resumed() {
    if (waiting.isEmpty()) {
      return List.of();
    }
    if (heldBytes < mostBytes) {
      List<Runnable> all = List.copyOf(waiting.values());
      waiting.clear();
      return all;
    }
    Runnable oldest = completeBytes == 0 ? waiting.remove(readers.getFirst()) : null;
    return oldest == null ? List.of() : List.of(oldest);
  }

  private void leave(Claim claim) {
    readers.remove(claim);
    waiting.remove(claim);
  }

  /** What one body has of the budget. */
  final class Claim {
    private long bytes;
    private boolean complete;
    private boolean released;

    private Claim() {}

    /**
     * Returns whether the next piece of the body may be read now. If not, {@code resume} is run
     * once when it may, on whichever thread made the room.
     */
    boolean mayRead(Runnable resume) {
      synchronized (BodyBudget.this) {
        if (released) {
          return false;
        }
        readers.add(this);
        boolean may = BodyBudget.this.mayRead(this);
        if (!may) {
          waiting.put(this, resume);
        }
        return may;
      }
    }

    /** Takes a piece that was read. */
    void add(long piece) {
      List<Runnable> resumed;
      synchronized (BodyBudget.this) {
        if (released) {
          return;
        }
        bytes += piece;
        heldBytes += piece;
        completeBytes += complete ? piece : 0;
        resumed = resumed();
      }
      resumed.forEach(Runnable::run);
    }

    /** Says that the body was read to its end. */
    void complete() {
      List<Runnable> resumed;
      synchronized (BodyBudget.this) {
        if (released || complete) {
          return;
        }
        complete = true;
        completeBytes += bytes;
        leave(this);
        resumed = resumed();
      }
      resumed.forEach(Runnable::run);
    }

    /** Gives everything back; nothing can be added any more. */
    void release() {
      List<Runnable> resumed;
      synchronized (BodyBudget.this) {
        if (released) {
          return;
        }
        released = true;
        heldBytes -= bytes;
        completeBytes -= complete ? bytes : 0;
        leave(this);
        resumed = resumed();
      }
      resumed.forEach(Runnable::run);
    }
  }
}
