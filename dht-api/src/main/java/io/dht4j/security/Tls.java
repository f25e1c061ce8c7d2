package io.dht4j.security;

import io.dht4j.NodeId;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Keys and certificates as the files hold them now. The managers stay the same objects while what they use is replaced: the
 * files are looked at every second, and each handshake after a change uses the new ones. Files that cannot be read or do
 * not fit together leave the last good ones in use, and are told to {@code warnings} once.
 *
 * <p>Safe for use by any number of threads. Owns a daemon thread until it is closed.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class Tls implements AutoCloseable {

    private Tls() {}

    /**
     * Reads the files. Blocks.
     *
     * @param files where they are
     * @param warnings takes a line, without secrets, when files were read anew or could not be; called on the own thread
     * @return what they say
     * @throws IllegalArgumentException if a file is missing or not what it should be; the message names it
     */
    public static Tls load(TlsFiles files, Consumer<String> warnings) {
        throw new UnsupportedOperationException(files + " " + warnings);
    }

    /**
     * Presents the own certificate.
     *
     * @return always the same object
     * @throws IllegalStateException if the files name no certificate
     */
    public X509ExtendedKeyManager keyManager() {
        throw new UnsupportedOperationException();
    }

    /**
     * Trusts what leads to one of the authorities. For clients of a public API, which check host names as HTTPS does, and
     * for servers, which ask {@link #names} whose certificate it is.
     *
     * @return always the same object
     */
    public X509ExtendedTrustManager trustManager() {
        throw new UnsupportedOperationException();
    }

    /**
     * For nodes that call nodes: trusts what leads to one of the authorities and bears the name of the node that is called;
     * host names do not matter.
     *
     * @param peers tells who should be where
     * @return a new object
     */
    public X509ExtendedTrustManager trustManager(ExpectedPeer peers) {
        throw new UnsupportedOperationException(peers.toString());
    }

    /**
     * Whose certificate it is.
     *
     * @param certificate a certificate that is trusted
     * @return its DNS names, or its common name if it has none; never empty names
     */
    public static Set<String> names(X509Certificate certificate) {
        throw new UnsupportedOperationException(certificate.toString());
    }

    /** Stops looking at the files. May be called repeatedly. */
    @Override
    public void close() {}

    /** Tells which node should answer at an address. Safe for use by any number of threads. */
    @FunctionalInterface
    public interface ExpectedPeer {

        /**
         * Which node should answer there.
         *
         * @param host as it was given to connect
         * @param port 1 to 65535
         * @return its name; empty refuses the connection
         */
        Optional<NodeId> at(String host, int port);
    }
}
