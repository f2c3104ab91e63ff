@NullMarked
package io.penstock.load;

import org.jspecify.annotations.NullMarked;
