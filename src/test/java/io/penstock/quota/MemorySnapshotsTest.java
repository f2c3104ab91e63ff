package io.penstock.quota;

class MemorySnapshotsTest extends SnapshotsContract {
  @Override
  protected Snapshots snapshots() {
    return new MemorySnapshots();
  }
}
