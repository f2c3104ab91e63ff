package io.penstock.queue;

/** Creates the disciplines of queues. */
public final class DisciplineFactory {
  private DisciplineFactory() {}

  /**
   * Creates a discipline.
   *
   * @param agingNanos the time of waiting for which a ticket gains one step of priority; 0 is off
   * @param seed of the random numbers
   */
  public static <T extends Ticket> QueueDiscipline<T> create(
      QueueOrder queueOrder, long agingNanos, long seed) {
    return queueOrder == QueueOrder.FAIR
        ? new FairDiscipline<>()
        : new RankedDiscipline<>(queueOrder, agingNanos, seed);
  }
}
