package io.dht4j.server.client;

import io.dht4j.security.Tls;
import io.dht4j.spi.TlsFiles;
import java.security.GeneralSecurityException;
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/** The credentials of a client and the authorities that it trusts. Immutable; its token appears nowhere. */
public final class Access {

    private final Optional<SSLContext> tls;
    private final Optional<String> token;

    private Access(Optional<SSLContext> tls, Optional<String> token) {
        this.tls = tls;
        this.token = token;
    }

    /**
     * Returns the access of an anonymous client: it trusts the JVM's authorities, and has neither a certificate nor a
     * token.
     *
     * @return no access in particular
     */
    public static Access ofAnyone() {
        return new Access(Optional.empty(), Optional.empty());
    }

    /**
     * Reads the files, once. Blocks.
     *
     * @param files for TLS, if there are any
     * @param token what to send with each request, if there is one
     * @param warnings receives a line about each doubtful file
     * @return the access
     * @throws IllegalArgumentException if a file is missing or invalid; the message names it
     */
    public static Access of(Optional<TlsFiles> files, Optional<String> token, Consumer<String> warnings) {
        return new Access(files.map(some -> context(some, warnings)), token);
    }

    private static SSLContext context(TlsFiles files, Consumer<String> warnings) {
        // Closed at once: a command does not live long enough for its files to change.
        try (Tls tls = Tls.load(files, warnings)) {
            KeyManager[] keys = files.certificate().isPresent() ? new KeyManager[] {tls.keyManager()} : null;
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, new TrustManager[] {tls.trustManager()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no TLS", e);
        }
    }

    /**
     * Returns the TLS context of connections.
     *
     * @return a context; empty without files for TLS
     */
    public Optional<SSLContext> tls() {
        return tls;
    }

    /**
     * Returns the token, for the header of requests only.
     *
     * @return the token; empty if there is none
     */
    public Optional<String> token() {
        return token;
    }
}
