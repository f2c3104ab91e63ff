package io.penstock.quota;

class MemorySnapshotsTest extends SnapshotsContract {
  @Override
  Snapshots snapshots() {
    return new MemorySnapshots();
  }
}
