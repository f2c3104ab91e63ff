/** Readers of requests to providers, which estimate the requests' costs. */
@NullMarked
package io.penstock.provider.request;

import org.jspecify.annotations.NullMarked;
