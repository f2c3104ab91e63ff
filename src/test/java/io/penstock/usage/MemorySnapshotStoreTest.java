package io.penstock.usage;

class MemorySnapshotStoreTest extends SnapshotStoreContract {
  @Override
  protected SnapshotStore snapshots() {
    return new MemorySnapshotStore();
  }
}
