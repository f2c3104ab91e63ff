/**
 * Events about requests, reloads and sharing, which metrics, logs and the operator port listen to.
 */
@NullMarked
package io.penstock.event;

import org.jspecify.annotations.NullMarked;
