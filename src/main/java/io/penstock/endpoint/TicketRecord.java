package io.penstock.endpoint;

/** Information about a ticket: it waits, or it is past. */
public sealed interface TicketRecord permits WaitingTicket, PastTicket {}
