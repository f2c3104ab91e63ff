/**
 * Connects the steps of a request, which have packages of their own, with Spring Cloud Gateway, and
 * follows requests for traces and the access log.
 */
@NullMarked
package io.penstock.gateway;

import org.jspecify.annotations.NullMarked;
