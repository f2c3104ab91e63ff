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
 * A test of a fault that the program still has. It asserts the correct behaviour, so it is expected
 * to fail: the build prints the fault, and fails as soon as the test passes, so that the annotation
 * is then replaced by {@link Test}. An exception other than an {@link AssertionError} is a failure
 * as usual.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Test
@ExtendWith(KnownFailure.Expected.class)
public @interface KnownFailure {
  /** The fault, described in one sentence. */
  String value();

  /** Inverts the outcome of the test. */
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
