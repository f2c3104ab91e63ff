package io.penstock.tenant;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says that a field holds state that outlives a request and is read for requests of other tenants.
 * Its row in {@code src/docs/architecture.md} says who may change it, and what bounds that. A test
 * compares the fields with the rows.
 */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.CLASS)
public @interface SharedState {
  /** The name of its row. */
  String value();
}
