/**
 * The protocol by which instances divide a limit among them: each has a share on a lease, and the
 * sum of the shares is never above the limit.
 */
@NullMarked
package io.penstock.shares;

import org.jspecify.annotations.NullMarked;
