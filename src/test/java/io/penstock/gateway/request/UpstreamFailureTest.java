package io.penstock.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.proxy.ProxyConnectException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.handler.timeout.ReadTimeoutException;
import io.penstock.refusal.RefusalReason;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests into which class the causes of missing answers are put. */
class UpstreamFailureTest {
  private static Throwable tls(Throwable cause) {
    return new SSLHandshakeException("hidden").initCause(new CertificateException("hid", cause));
  }

  static Stream<Arguments> errors() {
    return Stream.of(
        Arguments.of(new ConnectTimeoutException("hidden"), "could not be connected to in time"),
        Arguments.of(new ProxyConnectException("hidden"), "the proxy made no connection"),
        Arguments.of(new ConnectException("hidden"), "refused the connection"),
        Arguments.of(new UnknownHostException("hidden"), "host is unknown"),
        Arguments.of(tls(new CertificateExpiredException()), "certificate has expired"),
        Arguments.of(tls(new CertificateNotYetValidException()), "certificate is not valid yet"),
        Arguments.of(tls(new CertPathBuilderException()), "certificate is not trusted"),
        Arguments.of(new SslHandshakeTimeoutException("hidden"), "TLS handshake in time"),
        Arguments.of(tls(new ClosedChannelException()), "closed the connection during the TLS"),
        Arguments.of(new SSLException("hidden"), "no secure connection"));
  }

  @ParameterizedTest
  @MethodSource("errors")
  void errorOfAConnection_wasNeverSeenByTheUpstream(Throwable error, String told) {
    UpstreamFailure failure = Objects.requireNonNull(UpstreamFailure.of(error));
    assertThat(failure.sent()).isFalse();
    assertThat(failure.refusal().detail()).contains(told).doesNotContain("hidden");
    assertThat(failure.refusal().reason())
        .isEqualTo(
            error instanceof ConnectTimeoutException
                ? RefusalReason.UPSTREAM_TIMEOUT
                : RefusalReason.UPSTREAM_UNREACHABLE);
  }

  @Test
  void errorOfTls_thatIsInNoClass_isToldToOperatorsAsItIs() {
    UpstreamFailure failure =
        Objects.requireNonNull(UpstreamFailure.of(new SSLException("Received fatal alert\n")));
    assertThat(failure.cause())
        .isEqualTo("no secure connection to the upstream: Received fatal alert\\u000a");
  }

  @Test
  void errorAfterTheRequest_mayHaveBeenSeen() {
    assertThat(UpstreamFailure.of(new SocketException("Connection reset")))
        .extracting(UpstreamFailure::cause, UpstreamFailure::sent)
        .containsExactly("the upstream reset the connection", true);
    assertThat(UpstreamFailure.of(new IOException("Connection reset by peer")))
        .extracting(UpstreamFailure::cause)
        .isEqualTo("the upstream reset the connection");
    assertThat(UpstreamFailure.of(new IOException()))
        .extracting(UpstreamFailure::cause)
        .isEqualTo("the upstream closed without an answer");
    assertThat(UpstreamFailure.of(ReadTimeoutException.INSTANCE))
        .extracting(each -> each.refusal().reason())
        .isEqualTo(RefusalReason.UPSTREAM_TIMEOUT);
    assertThat(UpstreamFailure.of(new IllegalStateException())).isNull();
  }
}
