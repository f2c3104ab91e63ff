package io.penstock.simulator;

import io.penstock.dispatch.TicketRequest;
import io.penstock.prefix.CacheLearner;

/**
 * A request whose prompt begins with something that a provider caches.
 *
 * @param ask the request as it is submitted
 * @param prompt the same for those who learn what a cache has
 * @param fingerprint the identity of its beginning
 * @param tokens the size of its beginning
 */
record SimPrompt(TicketRequest ask, CacheLearner.Prompt prompt, long fingerprint, long tokens) {}
