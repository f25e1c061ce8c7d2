package io.dht4j.security;

import io.dht4j.NodeId;
import io.dht4j.spi.TlsFiles;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Keys and certificates as the files hold them now. The managers stay the same objects while what they use is replaced:
 * the files are read twice a second, and full handshakes use the new ones once two looks have found the same: within
 * about a second of a change. Files that cannot be read or do not fit together leave the last good ones in use, and are
 * told to {@code warnings} once. So do certificates of another node, and those that are not valid now where the ones in
 * use are; these come into use when they become valid. Connections stay as they are, and sessions may be resumed
 * without a look at certificates.
 *
 * <p>Safe for use by any number of threads. Owns a daemon thread until it is closed.
 */
public final class Tls implements AutoCloseable {

    private static final int DNS_NAME = 2;
    private static final String LOCALHOST = "localhost";

    /** What is in use now, and what was before it: see {@link OwnKeyManager}. */
    private record Generation(long number, Credentials credentials, Optional<Credentials> before) {

        /** Finds a pair by the alias that it was given. */
        Optional<X509ExtendedKeyManager> pair(String alias) {
            if (isOf(alias, number)) {
                return credentials.keyManager();
            }
            return isOf(alias, number - 1) ? before.flatMap(Credentials::keyManager) : Optional.empty();
        }

        static String alias(long number) {
            return "pair-" + number;
        }

        /** Some key managers put numbers of their own and a dot in front of an alias. */
        private static boolean isOf(String alias, long number) {
            return alias.equals(alias(number)) || alias.endsWith("." + alias(number));
        }
    }

    /** Whose certificate it should be, once that is known. */
    private static final class Owner {

        private volatile Optional<String> name = Optional.empty();
    }

    private final Watched<Generation> watched;
    private final Owner owner;
    private final Optional<X509ExtendedKeyManager> keyManager;
    private final X509ExtendedTrustManager trustManager;

    private Tls(Watched<Generation> watched, Owner owner) {
        this.watched = watched;
        this.owner = owner;
        // Which files there are does not change, so a pair that is there stays there.
        keyManager = watched.current()
                .credentials()
                .keyManager()
                .map(any -> new OwnKeyManager(
                        () -> watched.current().credentials().keyManager().orElseThrow(),
                        alias -> watched.current().pair(alias)));
        trustManager =
                new AuthorityTrustManager(() -> watched.current().credentials().trustManager());
    }

    /**
     * Reads the files. Blocks.
     *
     * @param files where they are
     * @param warnings takes a line, without secrets: now, on the calling thread, of certificates that are not valid
     *     today; later, on the own thread, when files were read again or could not be
     * @return what they say
     * @throws IllegalArgumentException if a file is missing or not what it should be; the message names it
     */
    public static Tls load(TlsFiles files, Consumer<String> warnings) {
        return load(files, warnings, Watched.LOOK_EVERY_MILLIS, Clock.systemUTC());
    }

    /** With looks as rare as a test wants them, at a time that it chooses. */
    static Tls load(TlsFiles files, Consumer<String> warnings, long lookEveryMillis, Clock clock) {
        Owner owner = new Owner();
        List<Path> paths = Stream.of(files.certificate(), files.key(), files.authorities())
                .flatMap(Optional::stream)
                .toList();
        Watched<Generation> watched = Watched.start(
                "dht4j-tls-files",
                paths,
                (contents, before) -> {
                    Instant now = clock.instant();
                    long number = before == null ? 1 : before.number() + 1;
                    Credentials read = Credentials.of(files, contents, Generation.alias(number));
                    if (before != null) {
                        read.requireNoWorseThan(before.credentials(), owner.name, now);
                    }
                    read.warnAboutDates(now, warnings);
                    return new Generation(
                            number, read, Optional.ofNullable(before).map(Generation::credentials));
                },
                warnings,
                lookEveryMillis);
        return new Tls(watched, owner);
    }

    /**
     * Tells whose certificate this should be. From now on, once it bears that name, none that does not takes its place.
     * Without this, a certificate must bear the common name of the one whose place it takes, if that is one of its
     * names and not {@code localhost}, or else share a name with it.
     *
     * @param node the node that presents the certificate
     */
    public void expectName(NodeId node) {
        owner.name = Optional.of(node.value());
    }

    /**
     * Presents the own certificate.
     *
     * @return always the same object
     * @throws IllegalStateException if the files name no certificate
     */
    public X509ExtendedKeyManager keyManager() {
        return keyManager.orElseThrow(
                () -> new IllegalStateException("there is no own certificate to present: no file of one was given"));
    }

    /**
     * Trusts what leads to one of the authorities. For clients of a public API, which check host names as HTTPS does,
     * and for servers, which ask {@link #callerNames} whose certificate it is.
     *
     * @return always the same object
     */
    public X509ExtendedTrustManager trustManager() {
        return trustManager;
    }

    /**
     * As {@link #trustManager()}, for servers that want to know whom it does not trust.
     *
     * @param refused is told of each caller that is not trusted, if the engine knows the caller's address
     * @return a new object
     */
    public X509ExtendedTrustManager trustManager(HandshakeFailureLog refused) {
        return new AuthorityTrustManager(() -> watched.current().credentials().trustManager(), refused::refused);
    }

    /**
     * For nodes that call nodes: trusts what leads to one of the authorities and bears the name of the node that is
     * called; host names do not matter.
     *
     * @param peers tells who should be where
     * @return a new object
     */
    public X509ExtendedTrustManager trustManager(ExpectedPeer peers) {
        return new PeerTrustManager(trustManager, peers);
    }

    /**
     * Whose certificate it is.
     *
     * @param certificate a certificate that is trusted
     * @return its DNS names, or its common name if it has none; never empty names
     */
    public static Set<String> names(X509Certificate certificate) {
        try {
            Set<String> names = new LinkedHashSet<>();
            Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
            if (alternatives != null) {
                for (List<?> alternative : alternatives) {
                    if (alternative.get(0).equals(DNS_NAME) && alternative.get(1) instanceof String name) {
                        names.add(name);
                    }
                }
            }
            if (names.isEmpty()) {
                commonName(certificate).ifPresent(names::add);
            }
            names.removeIf(String::isBlank);
            return Set.copyOf(names);
        } catch (CertificateParsingException | NamingException e) {
            // Names that cannot be read are nobody's.
            return Set.of();
        }
    }

    /** The common name, if it is one of the {@link #names} and not every machine's. */
    static Optional<String> mainName(X509Certificate certificate) {
        try {
            return commonName(certificate)
                    .filter(name ->
                            !name.equals(LOCALHOST) && names(certificate).contains(name));
        } catch (NamingException e) {
            return Optional.empty();
        }
    }

    /**
     * Who has called, by the authorities that are trusted now. For servers, before they hand on the first request of a
     * connection: a session that was resumed may be older than the authorities, and its certificates were not checked
     * again. Does not block.
     *
     * @param session of a connection that was accepted
     * @return the {@link #names} of the caller's certificate
     * @throws SSLPeerUnverifiedException if the caller has presented no certificate
     * @throws CertificateException if its certificate is trusted no longer
     */
    public Set<String> callerNames(SSLSession session) throws SSLPeerUnverifiedException, CertificateException {
        X509Certificate[] chain = Stream.of(session.getPeerCertificates())
                .filter(X509Certificate.class::isInstance)
                .map(X509Certificate.class::cast)
                .toArray(X509Certificate[]::new);
        if (chain.length == 0) {
            throw new SSLPeerUnverifiedException("the caller has presented no X.509 certificate");
        }
        // What TLS 1.3 gives as the kind of authentication; for clients the manager looks at the certificate only.
        trustManager.checkClientTrusted(chain, "UNKNOWN");
        return names(chain[0]);
    }

    /** Stops looking at the files. May be called repeatedly. */
    @Override
    public void close() {
        watched.close();
    }

    /** Looks at the files now, as the own thread does twice a second. */
    void look() {
        watched.look();
    }

    /** The most specific one. */
    private static Optional<String> commonName(X509Certificate certificate) throws NamingException {
        List<Rdn> parts = new LdapName(certificate.getSubjectX500Principal().getName()).getRdns();
        for (int i = parts.size() - 1; i >= 0; i--) {
            Attribute commonName = parts.get(i).toAttributes().get("CN");
            if (commonName != null && commonName.get() instanceof String name) {
                return Optional.of(name);
            }
        }
        return Optional.empty();
    }

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
