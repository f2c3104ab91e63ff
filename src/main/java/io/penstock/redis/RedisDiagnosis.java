package io.penstock.redis;

import io.netty.handler.ssl.NotSslRecordException;
import io.penstock.redis.RedisTrouble.Kind;
import java.io.IOException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateExpiredException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisException;
import org.redisson.client.RedisRedirectException;
import org.redisson.client.RedisTimeoutException;
import org.redisson.client.RedisTryAgainException;

/** Classifies failures of Redis and of the connection to it. */
public final class RedisDiagnosis {
  /**
   * Text with which an error of Redis begins; an error within a script is wrapped in more words and
   * contains it near the end.
   */
  private record Sign(String text, Kind kind, String detail) {
    Sign(String text, Kind kind) {
      this(text, kind, "");
    }
  }

  /** Separator after an error of Redis; Redisson appends the command. */
  private static final String CHANNEL = ". channel: ";

  private static final String CLUSTER_NODE = "a node of a cluster is addressed by redis-cluster://";
  private static final String SENTINEL =
      "it has no scripts; a Sentinel is addressed by redis-sentinel://";

  private static final List<Sign> SIGNS =
      List.of(
          new Sign("READONLY You can't write", Kind.READ_ONLY),
          new Sign("command not allowed when used memory", Kind.MEMORY),
          new Sign("MISCONF ", Kind.DISK),
          new Sign("NOAUTH ", Kind.ACCESS),
          new Sign("NOPERM ", Kind.ACCESS),
          new Sign("WRONGPASS ", Kind.ACCESS),
          new Sign("invalid password", Kind.ACCESS),
          new Sign("ERR AUTH ", Kind.ACCESS),
          new Sign("The user executing the script can't", Kind.ACCESS),
          new Sign("ACL failure in script: ", Kind.ACCESS),
          new Sign("LOADING ", Kind.LOADING),
          new Sign("CLUSTERDOWN ", Kind.CLUSTER),
          new Sign("MASTERDOWN ", Kind.CLUSTER),
          new Sign("NOREPLICAS ", Kind.READ_ONLY),
          new Sign("BUSY ", Kind.BUSY),
          new Sign(
              "max number of clients reached", Kind.AWAY, "it has as many clients as it allows"),
          new Sign("DB index is out of range", Kind.ADDRESS, "it has no database of that number"),
          new Sign("Master node is undefined!", Kind.AWAY, "sentinels know no master of that name"),
          new Sign("unknown command `SENTINEL`", Kind.ADDRESS, "that is no Sentinel"),
          new Sign("unknown command 'SENTINEL'", Kind.ADDRESS, "that is no Sentinel"),
          new Sign("cluster support disabled", Kind.ADDRESS, "that is no cluster"),
          new Sign("MOVED redirection loop", Kind.ADDRESS, CLUSTER_NODE),
          new Sign("attempted to access a non local key", Kind.ADDRESS, CLUSTER_NODE),
          new Sign("SELECT is not allowed in cluster mode", Kind.ADDRESS, CLUSTER_NODE),
          new Sign("unknown command `EVAL", Kind.ADDRESS, SENTINEL),
          new Sign("unknown command 'EVAL", Kind.ADDRESS, SENTINEL),
          new Sign("unknown command `SELECT", Kind.ADDRESS, SENTINEL),
          new Sign("unknown command 'SELECT", Kind.ADDRESS, SENTINEL));

  private RedisDiagnosis() {}

  /**
   * Beginning of errors that the project's own scripts raise; the text that follows contains no
   * secret.
   */
  private static final Pattern OWN = Pattern.compile("(?:FOREIGN|CLOCK) [^\\r\\n]{1,200}");

  /** Returns the classified failure. */
  public static RedisTrouble of(Throwable failure) {
    Kind last = Kind.ODD;
    Throwable each = failure;
    for (int depth = 0; each != null && depth < 10; depth++) {
      if (each instanceof RedisTrouble known) {
        return known;
      }
      Kind kind = kind(each);
      Sign sign = each instanceof RedisException ? sign(each) : null;
      if (sign != null && !sign.detail().isEmpty()) {
        return new RedisTrouble(sign.kind(), sign.detail());
      }
      if (kind != null && kind != Kind.AWAY) {
        return new RedisTrouble(kind, detail(kind, each));
      }
      last = kind == null ? last : kind;
      each = each.getCause();
    }
    return new RedisTrouble(last, last == Kind.ODD ? failure.getClass().getSimpleName() : "");
  }

  private static String detail(Kind kind, Throwable failure) {
    return switch (kind) {
      case VALUE -> own(failure);
      case TLS -> untrusted(failure);
      default -> "";
    };
  }

  /** Describes in a few words why TLS failed. */
  private static String untrusted(Throwable failure) {
    Throwable each = failure;
    for (int depth = 0; each != null && depth < 10; depth++) {
      String message = String.valueOf(each.getMessage());
      if (each instanceof NotSslRecordException) {
        return "that port does not speak TLS";
      }
      if (each instanceof CertificateExpiredException) {
        return "its certificate has expired";
      }
      if (each instanceof CertPathBuilderException) {
        return "its certificate is not trusted";
      }
      if (message.startsWith("No subject alternative") || message.startsWith("No name matching")) {
        return "its certificate is for another host: " + message;
      }
      each = each.getCause();
    }
    return String.valueOf(failure.getMessage());
  }

  private static @Nullable Kind kind(Throwable failure) {
    return switch (failure) {
      case SSLException untrusted -> Kind.TLS;
      case TimeoutException late -> Kind.SLOW;
      case RedisTimeoutException late ->
          String.valueOf(late.getMessage()).startsWith("Unable to acquire") ? Kind.AWAY : Kind.SLOW;
      case RedisRedirectException moved -> Kind.CLUSTER;
      case RedisTryAgainException moved -> Kind.CLUSTER;
      case RedisConnectionException gone -> signed(failure, Kind.AWAY);
      case RedisException lost when !answered(lost) -> signed(failure, Kind.AWAY);
      case RedisException other -> signed(failure, Kind.VALUE);
      default -> null;
    };
  }

  /**
   * Returns whether Redis itself answered the error. Failures of the connection have the same
   * class, but no channel in the message.
   */
  private static boolean answered(RedisException failure) {
    return !(failure.getCause() instanceof IOException)
        && String.valueOf(failure.getMessage()).contains(CHANNEL);
  }

  /** Returns the error of Redis without the command that follows, which may contain anything. */
  private static String said(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    int end = message.indexOf(CHANNEL);
    return end < 0 ? message : message.substring(0, end);
  }

  private static String own(Throwable failure) {
    Matcher own = OWN.matcher(said(failure));
    return own.lookingAt() ? own.group() : "";
  }

  private static Kind signed(Throwable failure, Kind otherwise) {
    Sign sign = sign(failure);
    return sign == null ? otherwise : sign.kind();
  }

  private static @Nullable Sign sign(Throwable failure) {
    String message = said(failure);
    for (Sign sign : SIGNS) {
      if (message.contains(sign.text())) {
        return sign;
      }
    }
    return null;
  }
}
