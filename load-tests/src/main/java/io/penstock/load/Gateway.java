package io.penstock.load;

/**
 * A Penstock that runs.
 *
 * @param child its process
 * @param port for clients
 * @param operator what answers on its operator port
 */
record Gateway(Child child, int port, Operator operator) {}
