package io.penstock.suite;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * A test of a fault that the program still has. It asserts what ought to be, so it is to fail: the
 * build prints the fault, and fails once the test passes, so that who corrects the fault writes
 * {@link Test} in its place. An exception other than an {@link AssertionError} is a failure as
 * ever.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Test
@ExtendWith(KnownFailure.Expected.class)
public @interface KnownFailure {
  /** Says in one sentence what is wrong. */
  String value();

  /** Turns the outcome of the test round. */
  final class Expected implements InvocationInterceptor {
    @Override
    public void interceptTestMethod(
        Invocation<Void> test, ReflectiveInvocationContext<Method> context, ExtensionContext of)
        throws Throwable {
      String fault = context.getExecutable().getAnnotation(KnownFailure.class).value();
      try {
        test.proceed();
      } catch (AssertionError expected) {
        System.out.println("Known failure: " + fault);
        return;
      }
      throw new AssertionError("It is no known failure any more, so make it a test: " + fault);
    }
  }
}
