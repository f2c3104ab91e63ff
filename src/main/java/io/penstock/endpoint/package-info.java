/**
 * Endpoints: the configuration, own limit, inbox, totals and life cycle of each path, and the
 * registry that finds the endpoint of a path.
 */
@NullMarked
package io.penstock.endpoint;

import org.jspecify.annotations.NullMarked;
