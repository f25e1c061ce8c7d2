package io.dht4j.testkit;

import io.dht4j.spi.PrivateFiles;
import io.dht4j.spi.TlsFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.security.auth.x500.X500Principal;

/**
 * An authority for tests and the certificates that it issues, as PEM files, made in milliseconds within the process.
 * Each instance is an authority of its own, foreign to all others. For tests only: keys lie in the open. Safe for use
 * by any number of threads; all methods block on files and throw {@link UncheckedIOException} if those cannot be
 * written.
 */
public final class TestCertificates {

    private final Path directory;
    private final Path authority;
    private final Der.Issuer issuer;
    /** PEM of the certificates between those issued and the authority. */
    private final String between;

    private final AtomicInteger issued = new AtomicInteger();

    private TestCertificates(Path directory, Path authority, Der.Issuer issuer, String between) {
        this.directory = directory;
        this.authority = authority;
        this.issuer = issuer;
        this.between = between;
    }

    /**
     * A certificate and its key.
     *
     * @param certificate the PEM file of the certificate and of those between it and the authority
     * @param key the PEM file of its key, PKCS #8, not encrypted
     * @param authority the PEM file of the authority's certificate
     */
    public record Issued(Path certificate, Path key, Path authority) {

        /**
         * For both sides to prove who they are; trusts the authority.
         *
         * @return files
         */
        public TlsFiles mutual() {
            return TlsFiles.mutual(certificate, key, authority);
        }

        /**
         * For a server whose clients need no certificate.
         *
         * @return files
         */
        public TlsFiles server() {
            return TlsFiles.server(certificate, key);
        }
    }

    /**
     * Makes an authority.
     *
     * @param directory where all goes, into a new directory per authority
     * @return an authority of a name that no other has
     */
    public static TestCertificates in(Path directory) {
        try {
            Path own = Files.createTempDirectory(Files.createDirectories(directory), "authority");
            KeyPair keys = keys("EC");
            X500Principal name = new X500Principal("CN=dht4j test " + own.getFileName());
            Der.Issuer issuer = new Der.Issuer(name, keys.getPrivate());
            byte[] certificate =
                    certify(issuer, new Der.Subject(name, keys.getPublic(), true, List.of()), lastMonth(), year());
            Path file = Files.writeString(own.resolve("authority.pem"), pem("CERTIFICATE", certificate));
            return new TestCertificates(own, file, issuer, "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The PEM file of the authority's certificate.
     *
     * @return a file that exists
     */
    public Path authority() {
        return authority;
    }

    /**
     * For clients without a certificate that trust the authority.
     *
     * @return files
     */
    public TlsFiles trusting() {
        return TlsFiles.trusting(authority);
    }

    /**
     * Makes a context for a client that trusts this authority and has no certificate.
     *
     * @return a context of its own
     * @throws GeneralSecurityException if the JVM knows no such certificates
     */
    SSLContext nameless() throws GeneralSecurityException {
        try (InputStream in = Files.newInputStream(authority())) {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            trusted.setCertificateEntry(
                    "authority", CertificateFactory.getInstance("X.509").generateCertificate(in));
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, factory.getTrustManagers(), new SecureRandom());
            return context;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Issues a certificate for a year, with an EC key. Each call makes new files with new keys, also for the same name.
     *
     * @param name the common name and the first DNS name
     * @param more further DNS names, or IP addresses
     * @return the files
     */
    public Issued issue(String name, String... more) {
        return issue("EC", name, names(name, more), year());
    }

    /**
     * Issues a certificate for a node on this machine and takes all its files.
     *
     * @param name the node's; the certificate also names {@code localhost}, 127.0.0.1 and ::1
     * @return files
     */
    public TlsFiles mutual(String name) {
        return issue(name, "localhost", "127.0.0.1", "::1").mutual();
    }

    /**
     * Issues a certificate that expired yesterday.
     *
     * @param name the common name and the first DNS name
     * @param more further DNS names, or IP addresses
     * @return the files
     */
    public Issued issueExpired(String name, String... more) {
        return issue("EC", name, names(name, more), Instant.now().minus(Duration.ofDays(1)));
    }

    /**
     * Issues a certificate that is valid from tomorrow.
     *
     * @param name the common name and the first DNS name
     * @param more further DNS names, or IP addresses
     * @return the files
     */
    public Issued issueForTomorrow(String name, String... more) {
        Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
        return issue("EC", name, names(name, more), tomorrow, year());
    }

    /**
     * Issues a certificate without alternative names.
     *
     * @param name the common name
     * @return the files
     */
    public Issued issueWithoutNames(String name) {
        return issue("EC", name, List.of(), year());
    }

    /**
     * Issues a certificate whose key is of another kind.
     *
     * @param algorithm {@code EC}, {@code RSA} or {@code Ed25519}
     * @param name the common name and the first DNS name
     * @param more further DNS names, or IP addresses
     * @return the files
     */
    public Issued issueWithKey(String algorithm, String name, String... more) {
        return issue(algorithm, name, names(name, more), year());
    }

    /**
     * Certifies an authority below this one.
     *
     * @param name its common name
     * @return issues certificates that come with the one between; its {@link #authority()} is the one of this
     */
    public TestCertificates below(String name) {
        KeyPair keys = keys("EC");
        X500Principal principal = new X500Principal("CN=" + name);
        byte[] certificate =
                certify(issuer, new Der.Subject(principal, keys.getPublic(), true, List.of()), lastMonth(), year());
        try {
            return new TestCertificates(
                    Files.createTempDirectory(directory, name),
                    authority,
                    new Der.Issuer(principal, keys.getPrivate()),
                    pem("CERTIFICATE", certificate) + between);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Puts other content in place of a file, in one step: readers see the old content or the new.
     *
     * @param file what to replace
     * @param by files whose contents, one after the other, take its place; they stay
     */
    public static void replace(Path file, Path... by) {
        try {
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            for (Path each : by) {
                content.writeBytes(Files.readAllBytes(each));
            }
            Path beside = Files.createTempFile(file.toAbsolutePath().getParent(), "new", ".pem");
            Files.write(beside, content.toByteArray());
            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Issued issue(String algorithm, String name, List<String> names, Instant until) {
        return issue(algorithm, name, names, lastMonth(), until);
    }

    private Issued issue(String algorithm, String name, List<String> names, Instant from, Instant until) {
        KeyPair keys = keys(algorithm);
        X500Principal principal = new X500Principal("CN=" + name);
        byte[] certificate = certify(issuer, new Der.Subject(principal, keys.getPublic(), false, names), from, until);
        String file = name + "-" + issued.incrementAndGet();
        try {
            return new Issued(
                    Files.writeString(directory.resolve(file + "-cert.pem"), pem("CERTIFICATE", certificate) + between),
                    secret(
                            directory.resolve(file + "-key.pem"),
                            pem("PRIVATE KEY", keys.getPrivate().getEncoded())),
                    authority);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path secret(Path file, String content) throws IOException {
        PrivateFiles.createIfMissing(file);
        return Files.writeString(file, content);
    }

    private static List<String> names(String name, String... more) {
        return Stream.concat(Stream.of(name), Stream.of(more)).toList();
    }

    private static Instant year() {
        return Instant.now().plus(Duration.ofDays(365));
    }

    private static Instant lastMonth() {
        return Instant.now().minus(Duration.ofDays(30));
    }

    private static byte[] certify(Der.Issuer issuer, Der.Subject subject, Instant from, Instant until) {
        try {
            BigInteger serial = new BigInteger(100, new SecureRandom()).add(BigInteger.ONE);
            return Der.certificate(serial, issuer, from, until, subject);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot sign a certificate", e);
        }
    }

    private static KeyPair keys(String algorithm) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            if (algorithm.equals("EC")) {
                generator.initialize(new ECGenParameterSpec("secp256r1"));
            } else if (algorithm.equals("RSA")) {
                generator.initialize(2048);
            }
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("no keys of the kind " + algorithm, e);
        }
    }

    private static String pem(String label, byte[] der) {
        String body = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(der);
        return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n";
    }
}
