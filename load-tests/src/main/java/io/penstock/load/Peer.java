package io.penstock.load;

import java.net.http.HttpHeaders;
import java.util.function.Predicate;

/**
 * Something that passes requests on to the upstream, and runs.
 *
 * @param name what tables call it
 * @param port where it listens
 * @param path what a chat completion is asked for by
 * @param headers lines it wants beside what all are sent, each ended by CR LF
 * @param goal what Penstock's requests per second are to be of its own, at least; NaN for none
 * @param atWork whether an answer shows that it does what it is here for
 */
record Peer(
    String name,
    int port,
    String path,
    String headers,
    double goal,
    Predicate<HttpHeaders> atWork) {

  /** One that could not be started, what the goal beside it would be, and why. */
  record Missing(String name, double goal, String reason) {}
}
