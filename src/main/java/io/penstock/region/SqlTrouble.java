package io.penstock.region;

import io.r2dbc.spi.R2dbcException;
import java.sql.SQLException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Describes a database failure for people. It does not repeat messages of drivers, which may
 * contain addresses and users.
 */
final class SqlTrouble {
  private SqlTrouble() {}

  static String of(@Nullable Throwable failure) {
    return switch (failure) {
      case null -> "it gave no answer";
      case TimeoutException late -> "it took too long";
      case R2dbcException sql -> why(sql.getSqlState(), sql.getErrorCode());
      case SQLException sql -> why(sql.getSQLState(), sql.getErrorCode());
      case CompletionException wrapped when wrapped.getCause() != null -> of(wrapped.getCause());
      case Throwable other -> caused(other);
    };
  }

  private static String caused(Throwable other) {
    Throwable cause = other.getCause();
    boolean tells = cause instanceof R2dbcException || cause instanceof SQLException;
    return tells ? of(cause) : "it failed (%s)".formatted(other.getClass().getSimpleName());
  }

  private static String why(@Nullable String state, int error) {
    String known = String.valueOf(state);
    if (known.startsWith("08")) {
      return "the server cannot be reached";
    }
    if (known.equals("28000")) {
      return "the server refuses the user or the password";
    }
    return "the server failed (SQL state %s, error %d)".formatted(known, error);
  }
}
