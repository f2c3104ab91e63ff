package io.penstock.gateway.request;

import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.proxy.ProxyConnectException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Class of reasons why there is no connection to an upstream, so that it never saw the request. */
enum ConnectionFault {
  TIMEOUT("the upstream could not be connected to in time"),
  PROXY("the proxy made no connection to the upstream"),
  REFUSED("the upstream refused the connection"),
  UNKNOWN_HOST("the upstream's host is unknown"),
  UNTRUSTED("the upstream's certificate is not trusted"),
  EXPIRED("the upstream's certificate has expired"),
  NOT_YET_VALID("the upstream's certificate is not valid yet"),
  OTHER_NAME("the upstream's certificate is for another host"),
  NO_TLS("the upstream does not speak TLS on that port"),
  SLOW_TLS("the upstream did not complete the TLS handshake in time"),
  CLOSED_TLS("the upstream closed the connection during the TLS handshake"),
  OTHER_TLS("no secure connection to the upstream");

  private static final int DEEPEST = 10;

  private final String text;

  ConnectionFault(String text) {
    this.text = text;
  }

  /** Returns a sentence for clients, without host and address. */
  String text() {
    return text;
  }

  /** Returns the class of an error, or null when it does not show that there was no connection. */
  static @Nullable ConnectionFault of(Throwable error) {
    return switch (error) {
      case ConnectTimeoutException slow -> TIMEOUT;
      case ProxyConnectException proxy -> PROXY;
      case ConnectException refused -> REFUSED;
      case UnknownHostException unknown -> UNKNOWN_HOST;
      case SSLException insecure -> ofTls(insecure);
      default -> null;
    };
  }

  private static ConnectionFault ofTls(SSLException error) {
    Throwable each = error;
    for (int depth = 0; each != null && depth < DEEPEST; depth++) {
      ConnectionFault known = ofCause(each);
      if (known != null) {
        return known;
      }
      each = each.getCause();
    }
    return OTHER_TLS;
  }

  private static @Nullable ConnectionFault ofCause(Throwable cause) {
    return switch (cause) {
      case CertificateExpiredException expired -> EXPIRED;
      case CertificateNotYetValidException early -> NOT_YET_VALID;
      case CertPathBuilderException untrusted -> UNTRUSTED;
      case NotSslRecordException plain -> NO_TLS;
      case SslHandshakeTimeoutException slow -> SLOW_TLS;
      case ClosedChannelException closed -> CLOSED_TLS;
      default -> ofMessage(String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT));
    };
  }

  /** Classifies by the words of the JDK and of Netty where the type of the error does not tell. */
  private static @Nullable ConnectionFault ofMessage(String message) {
    if (message.startsWith("no subject alternative") || message.startsWith("no name matching")) {
      return OTHER_NAME;
    }
    return message.startsWith("connection closed while ssl/tls handshake") ? CLOSED_TLS : null;
  }
}
