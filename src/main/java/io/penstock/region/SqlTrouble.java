package io.penstock.region;

import io.penstock.store.DatabaseAddress;
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
      case SQLException sql -> DatabaseAddress.why(sql);
      case CompletionException wrapped when wrapped.getCause() != null -> of(wrapped.getCause());
      case Throwable other when other.getCause() instanceof SQLException sql -> of(sql);
      case Throwable other -> "it failed (%s)".formatted(other.getClass().getSimpleName());
    };
  }
}
