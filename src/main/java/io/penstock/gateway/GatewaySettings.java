package io.penstock.gateway;

/**
 * Settings of the filters of a request.
 *
 * @param keysRequired whether requests need a key even while there are none
 * @param loggedShare the share of finished requests that get a line in the log, 0 to 1
 */
public record GatewaySettings(boolean keysRequired, double loggedShare) {}
