package io.penstock.dispatch;

/**
 * The place of a ticket in the queue at an instant.
 *
 * @param ticket the ticket
 * @param position its place, from 1, in the order in which tickets would go if everything fitted; 0
 *     when it is too far behind to be counted, or not in the queue yet
 * @param expected how long it will still wait from then on
 */
public record QueuePlace(ParkedTicket ticket, int position, WaitForecast expected) {}
