package io.dht4j.transport.http;

import io.dht4j.security.RefusedCallers;
import io.dht4j.security.Tls;
import io.dht4j.spi.FrameHandler;
import io.vertx.core.http.HttpConnection;
import java.lang.ref.WeakReference;
import java.security.cert.CertificateException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** Who may send frames over which connection, by the certificate that the caller has presented. For event loops. */
final class HttpTransportCallers {

    private static final String VERDICT = "dht4j.verdict";

    private final Tls tls;
    private final FrameHandler frames;
    private final RefusedCallers refused;

    HttpTransportCallers(Tls tls, FrameHandler frames, RefusedCallers refused) {
        this.tls = tls;
        this.frames = frames;
        this.refused = refused;
    }

    /** Why frames over a connection are refused; empty if they are not. Judged once for each connection. */
    Optional<String> refusal(HttpConnection connection) {
        SSLSession session = connection.sslSession();
        if (session == null) {
            return Optional.of("peers must use TLS");
        }
        // A resumed session may bring the verdict of an earlier connection along.
        if (session.getValue(VERDICT) instanceof Verdict known && known.connection.get() == connection) {
            return known.refusal;
        }
        Verdict verdict = new Verdict(new WeakReference<>(connection), judge(session));
        session.putValue(VERDICT, verdict);
        verdict.refusal.ifPresent(
                why -> refused.refused(connection.remoteAddress().hostAddress(), why));
        return verdict.refusal;
    }

    private Optional<String> judge(SSLSession session) {
        try {
            Set<String> names = new TreeSet<>(tls.callerNames(session));
            return names.stream().anyMatch(frames::mayCall)
                    ? Optional.empty()
                    : Optional.of("the caller's certificate names " + names
                            + ", which is no node of the topology and no member that is trusted");
        } catch (SSLPeerUnverifiedException e) {
            return Optional.of("peers must present a certificate");
        } catch (CertificateException e) {
            return Optional.of(HttpTransportReply.reason(e));
        }
    }

    private record Verdict(WeakReference<HttpConnection> connection, Optional<String> refusal) {}
}
