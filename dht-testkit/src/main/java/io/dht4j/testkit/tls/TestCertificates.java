package io.dht4j.testkit.tls;

import io.dht4j.spi.PrivateFiles;
import io.dht4j.spi.TlsFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.IPAddress;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemWriter;

/**
 * A test authority and the certificates that it issues, as PEM files, created within the process in milliseconds. Each
 * instance is a separate authority that no other trusts. For tests only: keys are unprotected. Safe for use by any
 * number of threads; all methods block on files and throw {@link UncheckedIOException} if writing fails.
 */
public final class TestCertificates {

    private final Path directory;
    private final Path authority;
    private final Issuer issuer;
    /** The PEM text of the intermediate certificates. */
    private final String between;

    private final AtomicInteger issued = new AtomicInteger();

    /** The issuer of certificates, with an EC key. */
    private record Issuer(X500Principal name, PrivateKey key) {}

    /** The subject of a certificate. Without names the certificate has no alternative names. */
    private record Subject(X500Principal name, PublicKey key, boolean authority, List<String> names) {}

    private TestCertificates(Path directory, Path authority, Issuer issuer, String between) {
        this.directory = directory;
        this.authority = authority;
        this.issuer = issuer;
        this.between = between;
    }

    /**
     * A certificate and its key.
     *
     * @param certificate the PEM file of the certificate and the intermediate ones
     * @param key the PEM file of its key, PKCS #8, not encrypted
     * @param authority the PEM file of the authority's certificate
     */
    public record Issued(Path certificate, Path key, Path authority) {

        /**
         * Returns the files for mutual authentication, with trust in the authority.
         *
         * @return files
         */
        public TlsFiles mutual() {
            return TlsFiles.mutual(certificate, key, authority);
        }

        /**
         * Returns the files for a server that requires no client certificates.
         *
         * @return files
         */
        public TlsFiles server() {
            return TlsFiles.server(certificate, key);
        }
    }

    /**
     * Creates an authority.
     *
     * @param directory the parent of a new directory for each authority
     * @return an authority with a unique name
     */
    public static TestCertificates in(Path directory) {
        try {
            Path own = Files.createTempDirectory(Files.createDirectories(directory), "authority");
            KeyPair keys = keys("EC");
            X500Principal name = new X500Principal("CN=dht4j test " + own.getFileName());
            Issuer issuer = new Issuer(name, keys.getPrivate());
            byte[] certificate =
                    certify(issuer, new Subject(name, keys.getPublic(), true, List.of()), lastMonth(), year());
            Path file = Files.writeString(own.resolve("authority.pem"), pem("CERTIFICATE", certificate));
            return new TestCertificates(own, file, issuer, "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the PEM file of the authority's certificate.
     *
     * @return a file that exists
     */
    public Path authority() {
        return authority;
    }

    /**
     * Returns the files for clients without a certificate that trust the authority.
     *
     * @return files
     */
    public TlsFiles trusting() {
        return TlsFiles.trusting(authority);
    }

    /**
     * Creates a context for a client that trusts this authority and has no certificate.
     *
     * @return a new context
     * @throws GeneralSecurityException if the JVM does not support such certificates
     */
    public SSLContext nameless() throws GeneralSecurityException {
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
     * Issues a certificate for a year, with an EC key. Each call creates new files with new keys, also for a repeated
     * name.
     *
     * @param name the common name and the first DNS name
     * @param more further DNS names, or IP addresses
     * @return the files
     */
    public Issued issue(String name, String... more) {
        return issue("EC", name, names(name, more), year());
    }

    /**
     * Issues a certificate for a node on this machine and returns its files for mutual authentication.
     *
     * @param name the node's name; the certificate also contains {@code localhost}, 127.0.0.1 and ::1
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
     * Issues a certificate with a key of another algorithm.
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
     * Creates an intermediate authority below this one.
     *
     * @param name its common name
     * @return an authority whose certificates include the intermediate one; its {@link #authority()} is that of this
     *     instance
     */
    public TestCertificates below(String name) {
        KeyPair keys = keys("EC");
        X500Principal principal = new X500Principal("CN=" + name);
        byte[] certificate =
                certify(issuer, new Subject(principal, keys.getPublic(), true, List.of()), lastMonth(), year());
        try {
            return new TestCertificates(
                    Files.createTempDirectory(directory, name),
                    authority,
                    new Issuer(principal, keys.getPrivate()),
                    pem("CERTIFICATE", certificate) + between);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Replaces the content of a file atomically: readers see the old content or the new.
     *
     * @param file the file to replace
     * @param by files whose concatenated contents become the new content; they remain
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
        byte[] certificate = certify(issuer, new Subject(principal, keys.getPublic(), false, names), from, until);
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

    private static byte[] certify(Issuer issuer, Subject subject, Instant from, Instant until) {
        BigInteger serial = new BigInteger(100, new SecureRandom()).add(BigInteger.ONE);
        X509v3CertificateBuilder certificate = new JcaX509v3CertificateBuilder(
                issuer.name(), serial, Date.from(from), Date.from(until), subject.name(), subject.key());
        try {
            certificate.addExtension(Extension.basicConstraints, true, new BasicConstraints(subject.authority()));
            if (!subject.names().isEmpty()) {
                GeneralName[] names = subject.names().stream()
                        .map(name -> new GeneralName(
                                IPAddress.isValid(name) ? GeneralName.iPAddress : GeneralName.dNSName, name))
                        .toArray(GeneralName[]::new);
                certificate.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names));
            }
            ContentSigner signer = new JcaContentSignerBuilder("SHA256withECDSA").build(issuer.key());
            return certificate.build(signer).getEncoded();
        } catch (IOException | OperatorCreationException e) {
            throw new IllegalStateException("cannot create a certificate", e);
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

    private static String pem(String label, byte[] der) throws IOException {
        StringWriter text = new StringWriter();
        try (PemWriter writer = new PemWriter(text)) {
            writer.writeObject(new PemObject(label, der));
        }
        return text.toString();
    }
}
