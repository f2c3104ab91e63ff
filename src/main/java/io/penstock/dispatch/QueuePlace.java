package io.penstock.dispatch;

/**
 * The place of a ticket in the queue at an instant.
 *
 * @param ticket the ticket
 * @param position its place, from 1, in the order in which tickets would go if everything fitted; 0
 *     when it is too far behind to be counted, or not in the queue yet
 * @param expectedNanos how long it will still wait from then on, roughly; {@link
 *     io.penstock.time.Ticker#NEVER} when that cannot be known
 */
public record QueuePlace(ParkedTicket ticket, int position, long expectedNanos) {}
