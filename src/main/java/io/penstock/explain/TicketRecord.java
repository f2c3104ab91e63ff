package io.penstock.explain;

/** Information about a ticket: it waits, or it is past. */
public sealed interface TicketRecord permits WaitingTicket, PastTicket {}
