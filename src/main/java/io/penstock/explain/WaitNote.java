package io.penstock.explain;

import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketNote;
import org.jspecify.annotations.Nullable;

/**
 * Explanation and record that are kept with a ticket. The thread that decides the ticket writes
 * them; others read them once the outcome is known.
 *
 * @param explanation why it was not granted, or not sooner; null when that is not recorded
 * @param unrecorded whether no record of it is to be kept
 * @param past its record that was kept when it was granted, or null
 */
public record WaitNote(
    @Nullable WaitExplanation explanation, boolean unrecorded, @Nullable PastTicket past)
    implements TicketNote {
  private static @Nullable WaitNote of(ParkedTicket ticket) {
    return ticket.note() instanceof WaitNote note ? note : null;
  }

  /** Sets why a ticket was not granted, or not sooner. */
  public static void explain(ParkedTicket ticket, WaitExplanation explanation) {
    ticket.note(new WaitNote(explanation, false, past(ticket)));
  }

  /** Marks that no record of a ticket is to be kept. */
  static void skipRecord(ParkedTicket ticket) {
    ticket.note(new WaitNote(explanation(ticket), true, past(ticket)));
  }

  /** Sets the record of a ticket that was granted. */
  public static void past(ParkedTicket ticket, PastTicket past) {
    ticket.note(new WaitNote(explanation(ticket), unrecorded(ticket), past));
  }

  /** Returns why a ticket was not granted, or not sooner; null when that is not recorded. */
  static @Nullable WaitExplanation explanation(ParkedTicket ticket) {
    WaitNote note = of(ticket);
    return note == null ? null : note.explanation;
  }

  /** Returns whether no record of a ticket is to be kept. */
  public static boolean unrecorded(ParkedTicket ticket) {
    WaitNote note = of(ticket);
    return note != null && note.unrecorded;
  }

  /** Returns the record of a ticket that was kept when it was granted, or null. */
  public static @Nullable PastTicket past(ParkedTicket ticket) {
    WaitNote note = of(ticket);
    return note == null ? null : note.past;
  }

  /**
   * Returns what kept a ticket from going, or from going sooner. Null when nothing did, and when
   * that is not recorded: it is for tickets that were refused or waited for long. To be called once
   * the outcome is known.
   */
  public static @Nullable BindingLimit binding(ParkedTicket ticket) {
    WaitExplanation explanation = explanation(ticket);
    return explanation == null ? null : explanation.binding();
  }

  @Override
  public TicketNote next() {
    return new WaitNote(null, false, past);
  }
}
