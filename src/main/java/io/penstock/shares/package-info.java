/**
 * Shares of limits: the protocol by which instances divide one limit among them. A store keeps one
 * number for each limit and instance, its share; the instance runs its own limit with that share as
 * capacity. The sum of the shares is never above the limit.
 */
@NullMarked
package io.penstock.shares;

import org.jspecify.annotations.NullMarked;
