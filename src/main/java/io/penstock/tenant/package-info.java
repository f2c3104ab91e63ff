/** The mark of state that tenants share, by the name of its row on the page about security. */
@NullMarked
package io.penstock.tenant;

import org.jspecify.annotations.NullMarked;
