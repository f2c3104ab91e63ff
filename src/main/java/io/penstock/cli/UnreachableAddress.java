package io.penstock.cli;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Finds out why a request to an address failed before there was an HTTP answer. Where something
 * accepted the connection, it connects once more to see whether that speaks TLS or plain HTTP.
 */
final class UnreachableAddress {
  private static final String HTTP = "HTTP/";
  private static final int MILLIS = 5_000;
  private static final int TLS_PORT = 443;
  private static final int PLAIN_PORT = 80;

  private final URI address;

  /** Creates an object for an {@code http} or {@code https} URL with a host. */
  UnreachableAddress(URI address) {
    this.address = address;
  }

  /** Returns the failure, whose message is one line. */
  OperatorClient.Failed failure(IOException why) {
    if (why instanceof UnknownHostException) {
      return passing("there is no host " + address.getHost() + ": is --attach spelled right?");
    }
    if (why instanceof InterruptedIOException || why instanceof HttpTimeoutException) {
      return passing("no answer from " + address + " in time");
    }
    if (why instanceof ConnectException) {
      return passing(
          "nobody answers at "
              + address
              + ": is the gateway running, and --attach its operator port?");
    }
    String mismatch = isTls() ? overTls(why) : overPlain();
    return mismatch == null
        ? passing("the connection to " + address + " broke before there was an answer")
        : new OperatorClient.Failed(OperatorClient.Kind.WRONG_PLACE, mismatch);
  }

  /** Returns a failure that may be over soon. */
  private static OperatorClient.Failed passing(String why) {
    return new OperatorClient.Failed(OperatorClient.Kind.FAILED, why);
  }

  private boolean isTls() {
    return "https".equals(address.getScheme());
  }

  private @Nullable String overTls(IOException why) {
    String distrust = distrust(why);
    if (distrust != null) {
      return "Java does not trust the certificate of "
          + address
          + " ("
          + distrust
          + "): name a trust store with its issuer in JAVA_OPTS, as in"
          + " -Djavax.net.ssl.trustStore=FILE";
    }
    return why instanceof SSLException && firstBytes().equals(HTTP)
        ? address + " answers without TLS: write http:// in --attach"
        : null;
  }

  private @Nullable String overPlain() {
    if (speaksTls()) {
      return address + " expects TLS: write https:// in --attach";
    }
    String first = firstBytes();
    return first.isEmpty() || first.equals(HTTP)
        ? null
        : "something other than an HTTP server answers at "
            + address
            + ": is --attach the operator port of a gateway?";
  }

  /** Returns the reason for which a certificate is not trusted, or null. */
  private static @Nullable String distrust(IOException why) {
    boolean ofCertificate = false;
    String reason = null;
    for (Throwable each = why; each != null; each = each.getCause()) {
      ofCertificate |= each instanceof CertificateException;
      reason = each.getMessage();
    }
    return ofCertificate ? reason : null;
  }

  private Socket connected() throws IOException {
    int port = address.getPort() > 0 ? address.getPort() : isTls() ? TLS_PORT : PLAIN_PORT;
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(address.getHost(), port), MILLIS);
      socket.setSoTimeout(MILLIS);
      return socket;
    } catch (IOException unreachable) {
      socket.close();
      throw unreachable;
    }
  }

  /** Returns the beginning of the answer to an HTTP request; nothing if there is none. */
  private String firstBytes() {
    try (Socket socket = connected();
        InputStream answer = socket.getInputStream()) {
      socket
          .getOutputStream()
          .write("OPTIONS * HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      return new String(answer.readNBytes(HTTP.length()), StandardCharsets.US_ASCII);
    } catch (IOException broken) {
      return "";
    }
  }

  /** Returns whether a TLS handshake begins; whether it succeeds is not asked here. */
  private boolean speaksTls() {
    SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
    try (Socket plain = connected();
        SSLSocket socket =
            (SSLSocket) factory.createSocket(plain, address.getHost(), plain.getPort(), true)) {
      socket.startHandshake();
      return true;
    } catch (SSLHandshakeException refused) {
      return !(refused.getCause() instanceof EOFException);
    } catch (IOException other) {
      return false;
    }
  }
}
