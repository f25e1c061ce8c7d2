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
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
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
 * Keys and certificates from files that are reloaded after changes. The managers stay the same objects while their
 * credentials are replaced. The files are read twice a second, and full handshakes use a new content once two reads
 * have returned it, within about a second of the change. Existing connections are unaffected, and sessions may be
 * resumed without a check of certificates.
 *
 * <p>If files are unreadable or inconsistent, the last valid credentials stay in use, and one warning is issued. The
 * same applies to certificates of another node, and to certificates outside their validity while the ones in use are
 * valid; the latter come into use when they become valid.
 *
 * <p>Safe for use by any number of threads. Owns a daemon thread until it is closed.
 */
public final class Tls implements AutoCloseable {

    private static final int DNS_NAME = 2;
    private static final String LOCALHOST = "localhost";

    /** The credentials in use and the previous ones, see {@link OwnKeyManager}. */
    private record Generation(long number, Credentials credentials, Optional<Credentials> before) {

        /** Finds a pair by its alias. */
        Optional<X509ExtendedKeyManager> pair(String alias) {
            if (isOf(alias, number)) {
                return credentials.keyManager();
            }
            return isOf(alias, number - 1) ? before.flatMap(Credentials::keyManager) : Optional.empty();
        }

        static String alias(long number) {
            return "pair-" + number;
        }

        /** Compares aliases. Some key managers add a prefix of their own numbers and a dot. */
        private static boolean isOf(String alias, long number) {
            return alias.equals(alias(number)) || alias.endsWith("." + alias(number));
        }
    }

    /** The expected owner of the certificate, once it is known. */
    private static final class Owner {

        private volatile Optional<String> name = Optional.empty();
    }

    private final Watched<Generation> watched;
    private final Owner owner;
    private final Consumer<String> warnings;
    private final AtomicBoolean isOwnerChecked = new AtomicBoolean();
    private final Optional<X509ExtendedKeyManager> keyManager;
    private final X509ExtendedTrustManager trustManager;

    private Tls(Watched<Generation> watched, Owner owner, Consumer<String> warnings) {
        this.watched = watched;
        this.owner = owner;
        this.warnings = warnings;
        // The set of files is fixed, so a pair that is present stays present.
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
     * @param files the paths
     * @param warnings takes lines without secrets: on the calling thread, for certificates that are not valid today; on
     *     that of the first call to another node, for a certificate that does not name this node; later on the own
     *     thread, when files were reloaded or could not be
     * @return the keys and certificates
     * @throws IllegalArgumentException if a file is missing or invalid; the message names it
     */
    public static Tls load(TlsFiles files, Consumer<String> warnings) {
        return load(files, warnings, Watched.LOOK_EVERY_MILLIS, Clock.systemUTC());
    }

    /** Reads the files, with the interval and the clock of a test. */
    static Tls load(TlsFiles files, Consumer<String> warnings, long lookEveryMillis, Clock clock) {
        Owner owner = new Owner();
        Map<Path, String> paths = new LinkedHashMap<>();
        files.certificate().ifPresent(path -> paths.put(path, "the certificate"));
        files.key().ifPresent(path -> paths.putIfAbsent(path, "the private key"));
        files.authorities().ifPresent(path -> paths.putIfAbsent(path, "the file of authorities"));
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
        return new Tls(watched, owner, warnings);
    }

    /**
     * Sets the expected owner of the certificate. Once a certificate with this name is in use, certificates without it
     * are refused as replacements.
     *
     * <p>If no name is set, a new certificate must contain the common name of the previous one, if that is one of its
     * names and not {@code localhost}. Otherwise the two must share a name.
     *
     * @param node the node that presents the certificate
     */
    public void expectName(NodeId node) {
        owner.name = Optional.of(node.value());
    }

    /**
     * Returns the key manager of the own certificate.
     *
     * @return always the same object
     * @throws IllegalStateException if the files name no certificate
     */
    public X509ExtendedKeyManager keyManager() {
        return keyManager.orElseThrow(
                () -> new IllegalStateException("there is no own certificate to present: no file of one was given"));
    }

    /**
     * Returns a trust manager for certificates issued by the authorities. For clients of a public API, which check host
     * names as in HTTPS, and for servers, which get the names of the caller from {@link #callerNames}.
     *
     * @return always the same object
     */
    public X509ExtendedTrustManager trustManager() {
        return trustManager;
    }

    /**
     * Returns a trust manager as {@link #trustManager()}, for servers that log untrusted callers.
     *
     * @param refused takes each untrusted caller whose address the engine knows
     * @return a new object
     */
    public X509ExtendedTrustManager trustManager(HandshakeFailureLog refused) {
        return new AuthorityTrustManager(() -> watched.current().credentials().trustManager(), refused::refused);
    }

    /**
     * Returns a trust manager for calls between nodes: the certificate must be issued by one of the authorities and
     * contain the name of the called node. Host names are ignored. The first such manager warns of an own certificate
     * that does not name this node, or that the authorities do not trust: a node that calls no other one needs neither.
     *
     * @param peers finds the expected node of an address
     * @return a new object
     */
    public X509ExtendedTrustManager trustManager(ExpectedPeer peers) {
        if (owner.name.isPresent() && !isOwnerChecked.getAndSet(true)) {
            Credentials own = watched.current().credentials();
            owner.name.ifPresent(name -> own.warnIfForeign(name, warnings));
            own.warnIfRefused(warnings);
        }
        return new PeerTrustManager(trustManager, peers);
    }

    /**
     * Returns the names in a certificate.
     *
     * @param certificate a trusted certificate
     * @return its DNS names, or its common name if it has none; without empty names
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
            // Unreadable names count as none.
            return Set.of();
        }
    }

    /** Returns the common name, if it is one of the {@link #names} and not {@code localhost}. */
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
     * Returns the names of the caller, by the present authorities. For servers, before the first request of a
     * connection: a resumed session may be older than the authorities, and resumption does not check certificates. Does
     * not block.
     *
     * @param session the session of an accepted connection
     * @return the {@link #names} in the caller's certificate
     * @throws SSLPeerUnverifiedException if the caller has presented no certificate
     * @throws CertificateException if its certificate is no longer trusted
     */
    public Set<String> callerNames(SSLSession session) throws SSLPeerUnverifiedException, CertificateException {
        X509Certificate[] chain = Stream.of(session.getPeerCertificates())
                .filter(X509Certificate.class::isInstance)
                .map(X509Certificate.class::cast)
                .toArray(X509Certificate[]::new);
        if (chain.length == 0) {
            throw new SSLPeerUnverifiedException("the caller has presented no X.509 certificate");
        }
        // The authentication type of TLS 1.3; for clients the manager uses only the certificate.
        trustManager.checkClientTrusted(chain, "UNKNOWN");
        return names(chain[0]);
    }

    /** Stops watching the files. May be called repeatedly. */
    @Override
    public void close() {
        watched.close();
    }

    /** Reads the files now, as the own thread does twice a second. */
    void look() {
        watched.look();
    }

    /** Returns the most specific common name. */
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

    /** Finds the expected node of an address. Safe for use by any number of threads. */
    @FunctionalInterface
    public interface ExpectedPeer {

        /**
         * Returns the expected node of an address.
         *
         * @param host the host passed to the connection
         * @param port 1 to 65535
         * @return its name; empty refuses the connection
         */
        Optional<NodeId> at(String host, int port);
    }
}
