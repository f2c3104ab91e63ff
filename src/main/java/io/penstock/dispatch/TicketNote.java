package io.penstock.dispatch;

/** Something that a {@link WaitRecorder} keeps with a ticket. */
public interface TicketNote {
  /** Returns the note of the ticket with which the request waits for another attempt. */
  TicketNote next();
}
