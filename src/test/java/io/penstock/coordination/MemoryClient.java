package io.penstock.coordination;

/** Client of the coordination service in memory, with control of its clock. */
abstract class MemoryClient extends CoordinationServiceClient {
  static final long SECOND = 1_000_000_000L;
  static final long HOUR = 3_600 * SECOND;

  final ManualAlarm alarm = new ManualAlarm();
  final MemoryCoordination memory =
      new MemoryCoordination(
          new ObjectBounds(10, 20, 1_000_000, 1, 5, HOUR), alarm.ticker, () -> 0, alarm);

  @Override
  protected CoordinationService coordination() {
    return memory;
  }

  @Override
  protected void pass(long nanos) {
    alarm.pass(nanos);
  }
}
