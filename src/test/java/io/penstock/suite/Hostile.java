package io.penstock.suite;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Marks a test in which somebody attacks: it sends what it should not, takes what belongs to
 * others, or pretends to be somebody else. On a class it marks each of its tests. The page about
 * security names the classes, and {@code SecurityPageTest} counts the cases.
 */
@Tag("hostile")
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface Hostile {
  /** The kinds of attackers. */
  enum By {
    /** A client that connects to the gateway or to its operator port, with a key or without. */
    CLIENT,
    /** A server that the gateway forwards requests to. */
    UPSTREAM,
    /** A web page in the browser of somebody who can reach the gateway. */
    PAGE
  }

  /** Returns the kind of the attacker. */
  By value();
}
