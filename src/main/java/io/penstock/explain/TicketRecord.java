package io.penstock.explain;

/** Information about a request: its ticket waits or is past, or it is held without one. */
public sealed interface TicketRecord permits WaitingTicket, PastTicket, HeldRequest {}
