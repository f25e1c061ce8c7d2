package io.dht4j.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectFailureTest {

    private static final String REFUSED = "nothing listens there (connection refused)";

    @Test
    void aRefusedConnectionIsToldWithoutTheSystemsWords() {
        assertThat(ConnectFailure.inWords(
                        new ConnectException("finishConnect(..) failed with error(-111): Connection refused")))
                .contains(REFUSED);
        // The JDK's HTTP client says no more than this.
        assertThat(ConnectFailure.inWords(
                        new CompletionException(caused(new ConnectException(), new ClosedChannelException()))))
                .contains(REFUSED);
    }

    @Test
    void plaintextIsToldFromOtherFailures() {
        assertThat(ConnectFailure.isPlaintext(new IOException(new SSLException("Unrecognized SSL message"))))
                .isTrue();
        assertThat(ConnectFailure.isPlaintext(new SSLHandshakeException("PKIX")))
                .isFalse();
    }

    @Test
    void theMessageOfAnotherFailureNamesNoSystemCall() {
        assertThat(ConnectFailure.message(
                        new IOException("recvAddress(..) failed with error(-104): Connection reset by peer")))
                .isEqualTo("Connection reset by peer");
        assertThat(ConnectFailure.message(new IOException("writevAddresses(..) failed: Broken pipe")))
                .isEqualTo("Broken pipe");
        assertThat(ConnectFailure.message(new IOException("a sentence (..) failed: why")))
                .isEqualTo("a sentence (..) failed: why");
        assertThat(ConnectFailure.message(new ClosedChannelException())).isEqualTo("ClosedChannelException");
    }

    @Test
    void aConnectionThatTakesTooLongIsNotTakenForARefusedOne() {
        assertThat(ConnectFailure.inWords(new ConnectException("Connection timed out")))
                .hasValueSatisfying(words -> assertThat(words).startsWith("no connection in time"));
        assertThat(ConnectFailure.inWords(new ConnectTimeoutException()))
                .hasValueSatisfying(words -> assertThat(words).startsWith("no connection in time"));
        assertThat(ConnectFailure.inWords(new NoRouteToHostException("No route to host")))
                .hasValueSatisfying(words -> assertThat(words).startsWith("there is no way"));
    }

    @Test
    void aNameThatIsUnknownIsToldAlsoWhereAConnectionWasTried() {
        assertThat(ConnectFailure.inWords(new UnknownHostException("nosuch: Name or service not known")))
                .contains("the name of the host cannot be resolved");
        assertThat(ConnectFailure.inWords(caused(new ConnectException(), new UnresolvedAddressException())))
                .contains("the name of the host cannot be resolved");
    }

    @Test
    void aCertificateIsToldByWhoCheckedItOrElseByWhatWasFound() {
        Throwable path = new CertPathBuilderException("unable to find valid certification path to requested target");
        assertThat(ConnectFailure.inWords(caused(new SSLHandshakeException("(certificate_unknown) PKIX"), path)))
                .contains("no trusted authority has signed the certificate");
        assertThat(ConnectFailure.inWords(
                        caused(new SSLHandshakeException("PKIX"), new CertificateException("it names n3", path))))
                .contains("it names n3");
        assertThat(ConnectFailure.inWords(new SSLException("PKIX", new CertificateExpiredException("NotAfter"))))
                .contains("the certificate has expired");
    }

    @Test
    void bytesThatCameInPlaceOfTlsAreNotShown() {
        assertThat(ConnectFailure.inWords(new NotSslRecordException("not an SSL/TLS record: 485454")))
                .contains("it does not speak TLS; is this a plaintext port?");
        assertThat(ConnectFailure.inWords(new SSLException("Unrecognized SSL message, plaintext connection?")))
                .contains("it does not speak TLS; is this a plaintext port?");
        assertThat(ConnectFailure.inWords(new SSLException("Unsupported or unrecognized SSL message")))
                .contains("it does not speak TLS; is this a plaintext port?");
    }

    @Test
    void otherFailuresAreLeftToOthers() {
        assertThat(ConnectFailure.inWords(new IOException("Broken pipe"))).isEmpty();
        assertThat(ConnectFailure.inWords(new ConnectException("Cannot assign requested address")))
                .isEmpty();
        Exception one = new Exception();
        Exception two = new Exception(one);
        one.initCause(two);
        assertThat(ConnectFailure.inWords(two)).isEmpty();
    }

    private static Throwable caused(Throwable failure, Throwable cause) {
        return failure.initCause(cause);
    }

    /** As Netty has it. */
    private static final class ConnectTimeoutException extends ConnectException {
        private static final long serialVersionUID = 1;
    }

    /** As Netty has it. */
    private static final class NotSslRecordException extends SSLException {
        private static final long serialVersionUID = 1;

        NotSslRecordException(String message) {
            super(message);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Received fatal alert: bad_certificate, bad_certificate",
        "(certificate_required) Received fatal alert: certificate_required, certificate_required",
        "Received fatal alert: unknown_ca, unknown_ca"
    })
    void anAlertThatRefusesACertificateIsExplained(String message, String alert) {
        assertThat(ConnectFailure.inWords(new IOException(new SSLHandshakeException(message))))
                .contains("the other side does not accept the certificate of this one (" + alert + ")");
        assertThat(ConnectFailure.inWords(new SSLHandshakeException("Received fatal alert: protocol_version")))
                .isEmpty();
    }
}
