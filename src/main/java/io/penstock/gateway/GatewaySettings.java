package io.penstock.gateway;

import java.time.Duration;

/**
 * Settings of the filters of a request.
 *
 * @param keysRequired whether requests need a key even while there are none
 * @param loggedShare the share of finished requests that get a line in the log, 0 to 1
 * @param writeTimeout how long a client may take nothing of its answer, above 0
 */
public record GatewaySettings(boolean keysRequired, double loggedShare, Duration writeTimeout) {}
