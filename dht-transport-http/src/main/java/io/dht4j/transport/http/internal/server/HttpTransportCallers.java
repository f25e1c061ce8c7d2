package io.dht4j.transport.http.internal.server;

import io.dht4j.PrintableText;
import io.dht4j.security.HandshakeFailureLog;
import io.dht4j.security.Tls;
import io.dht4j.spi.FrameHandler;
import io.dht4j.transport.http.internal.peer.PeerReply;
import io.vertx.core.http.HttpConnection;
import java.security.cert.CertificateException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** Decides which frames a connection may carry, based on the caller's certificate. For event loops. */
final class HttpTransportCallers {

    private final Tls tls;
    private final FrameHandler frames;
    private final HandshakeFailureLog refused;
    private final HttpConnections connections;

    /**
     * Creates an empty set of callers.
     *
     * @param connections keep the verdict on each caller
     */
    HttpTransportCallers(Tls tls, FrameHandler frames, HandshakeFailureLog refused, HttpConnections connections) {
        this.tls = tls;
        this.frames = frames;
        this.refused = refused;
        this.connections = connections;
    }

    /**
     * Returns the sender of frames over a connection, and whether they are refused. Judged once for each connection.
     */
    Verdict verdict(HttpConnection connection) {
        SSLSession session = connection.sslSession();
        if (session == null) {
            return Verdict.refused("peers must use TLS");
        }
        return connections.verdict(connection, () -> {
            Verdict verdict = judge(session);
            verdict.refusal.ifPresent(
                    why -> refused.refused(connection.remoteAddress().hostAddress(), why));
            return verdict;
        });
    }

    private Verdict judge(SSLSession session) {
        try {
            Set<String> names = tls.callerNames(session);
            return names.stream().anyMatch(frames::mayCall)
                    ? new Verdict(Optional.empty(), names)
                    : Verdict.refused("the caller's certificate names " + PrintableText.of(new TreeSet<>(names))
                            + ", which is no node of the topology and no member that is trusted");
        } catch (SSLPeerUnverifiedException e) {
            return Verdict.refused("peers must present a certificate of a trusted authority");
        } catch (CertificateException e) {
            return Verdict.refused(PeerReply.reason(e));
        }
    }

    /**
     * The verdict on a caller.
     *
     * @param refusal why its frames are refused; empty if they are not
     * @param names the names that its certificate proves; empty if there is none
     */
    record Verdict(Optional<String> refusal, Set<String> names) {

        /** The verdict without TLS: every caller may call, and none is known. */
        static final Verdict ANYBODY = new Verdict(Optional.empty(), Set.of());

        static Verdict refused(String why) {
            return new Verdict(Optional.of(why), Set.of());
        }
    }
}
