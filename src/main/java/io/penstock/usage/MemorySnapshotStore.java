package io.penstock.usage;

import java.util.concurrent.atomic.AtomicReference;

/** Snapshot store in memory: keeps the last snapshot for as long as this object lives. */
public final class MemorySnapshotStore implements SnapshotStore {
  private final AtomicReference<Snapshot> last = new AtomicReference<>(Snapshot.EMPTY);

  @Override
  public void save(Snapshot snapshot) {
    last.set(snapshot);
  }

  @Override
  public Snapshot load() {
    return last.get();
  }

  @Override
  public void close() {}
}
