package io.dht4j.security;

import io.dht4j.PrintableText;
import io.dht4j.security.Watched.NotNowException;
import io.dht4j.spi.TlsFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** The identity of the local node and its trusted authorities, as read from the files at one time. */
final class Credentials {

    private static final char[] NO_PASSWORD = new char[0];

    private final TlsFiles files;
    private final Optional<X509ExtendedKeyManager> keyManager;
    private final X509ExtendedTrustManager trustManager;
    /** The own certificate and the intermediate ones up to its authority; empty if there is none. */
    private final List<X509Certificate> chain;
    /** The trusted authorities; empty if the JVM's are trusted. */
    private final List<X509Certificate> authorities;

    private Credentials(TlsFiles files, Contents contents, String alias) {
        this.files = files;
        this.chain = files.certificate()
                .map(file -> Pem.certificates(file, contents.of(file)))
                .orElse(List.of());
        this.authorities = files.authorities()
                .map(file -> Pem.certificates(file, contents.of(file)))
                .orElse(List.of());
        this.keyManager =
                files.certificate().map(file -> keyManager(file, files.key().orElseThrow(), contents, chain, alias));
        this.trustManager = trustManager(files.authorities(), authorities);
    }

    /**
     * Creates the credentials from contents, with an alias for the own certificate. Throws IllegalArgumentException
     * that names the file at fault.
     */
    static Credentials of(TlsFiles files, Contents contents, String alias) {
        return new Credentials(files, contents, alias);
    }

    /** Warns of certificates that are not valid at a time. */
    void warnAboutDates(Instant now, Consumer<String> warnings) {
        invalid(chain, now).forEach(each -> warnings.accept(dates(files.certificate(), each)));
        invalid(authorities, now).forEach(each -> warnings.accept(dates(files.authorities(), each)));
    }

    /**
     * Checks that these credentials may replace others. They may not if the others are valid now and these are not, or
     * the others are this node's and these are another node's.
     *
     * @param owner the name of this node, if it is known
     * @throws NotNowException if these credentials may be valid at another time
     * @throws IllegalArgumentException if these credentials are another node's
     */
    void requireNoWorseThan(Credentials before, Optional<String> owner, Instant now) {
        if (!chain.isEmpty() && !before.chain.isEmpty()) {
            requireSameOwner(before.chain.get(0), owner);
            List<X509Certificate> bad = invalid(chain, now);
            if (!bad.isEmpty() && invalid(before.chain, now).isEmpty()) {
                throw new NotNowException(dates(files.certificate(), bad.get(0)));
            }
        }
        // Some of several authorities may have expired, but at least one must be valid.
        List<X509Certificate> over = invalid(authorities, now);
        if (!authorities.isEmpty()
                && over.size() == authorities.size()
                && invalid(before.authorities, now).size() < before.authorities.size()) {
            throw new NotNowException(dates(files.authorities(), over.get(0)));
        }
    }

    /** Warns if the own certificate does not name this node. */
    void warnIfForeign(String owner, Consumer<String> warnings) {
        if (!chain.isEmpty() && !Tls.names(chain.get(0)).contains(owner)) {
            warnings.accept(files.certificate().orElseThrow() + ": the certificate names "
                    + PrintableText.of(new TreeSet<>(Tls.names(chain.get(0)))) + ", not " + owner
                    + ", which presents it: the other nodes will refuse this one");
        }
    }

    /** Warns if the own certificate is not one that the own authorities trust, whose dates are right. */
    void warnIfRefused(Consumer<String> warnings) {
        if (chain.isEmpty() || authorities.isEmpty()) {
            return;
        }
        try {
            trustManager.checkClientTrusted(
                    chain.toArray(X509Certificate[]::new),
                    chain.get(0).getPublicKey().getAlgorithm());
        } catch (CertificateException e) {
            Instant now = Instant.now();
            if (invalid(chain, now).isEmpty() && invalid(authorities, now).size() < authorities.size()) {
                warnings.accept(files.certificate().orElseThrow() + ": the certificate of "
                        + PrintableText.of(chain.get(0).getSubjectX500Principal()) + ", issued by "
                        + PrintableText.of(chain.get(0).getIssuerX500Principal()) + ", is not trusted by "
                        + files.authorities().orElseThrow() + ": nodes with these authorities will refuse this one");
            }
        }
    }

    private void requireSameOwner(X509Certificate before, Optional<String> owner) {
        Set<String> names = Tls.names(chain.get(0));
        Set<String> namesBefore = Tls.names(before);
        Optional<String> mainName = Tls.mainName(before);
        String expected;
        boolean same;
        if (owner.isPresent()) {
            expected = owner.get();
            // An earlier certificate of another node needs no protection.
            same = names.contains(expected) || !namesBefore.contains(expected);
        } else if (mainName.isPresent()) {
            expected = mainName.get() + " as the one before it";
            same = names.contains(mainName.get());
        } else {
            expected = "any of " + new TreeSet<>(namesBefore) + " as the one before it";
            same = !Collections.disjoint(namesBefore, names);
        }
        if (!same) {
            throw new IllegalArgumentException(files.certificate().orElseThrow() + ": the certificate names "
                    + PrintableText.of(new TreeSet<>(names)) + ", not " + PrintableText.of(expected)
                    + ": it is somebody else's");
        }
    }

    private static List<X509Certificate> invalid(List<X509Certificate> certificates, Instant now) {
        return certificates.stream()
                .filter(each -> now.isBefore(each.getNotBefore().toInstant())
                        || now.isAfter(each.getNotAfter().toInstant()))
                .toList();
    }

    private static String dates(Optional<Path> file, X509Certificate certificate) {
        return file.orElseThrow() + ": the certificate of "
                + PrintableText.of(certificate.getSubjectX500Principal()) + " is valid from "
                + certificate.getNotBefore().toInstant() + " until "
                + certificate.getNotAfter().toInstant() + ", not now";
    }

    Optional<X509ExtendedKeyManager> keyManager() {
        return keyManager;
    }

    X509ExtendedTrustManager trustManager() {
        return trustManager;
    }

    private static X509ExtendedKeyManager keyManager(
            Path certificate, Path keyFile, Contents contents, List<X509Certificate> chain, String alias) {
        for (int i = 1; i < chain.size(); i++) {
            if (!chain.get(i - 1).getIssuerX500Principal().equals(chain.get(i).getSubjectX500Principal())) {
                throw new IllegalArgumentException(certificate + ": certificate " + (i + 1)
                        + " is not the issuer of the one before it: the own certificate comes first, then its issuer,"
                        + " then the issuer of that");
            }
        }
        PublicKey publicKey = chain.get(0).getPublicKey();
        PrivateKey key = Pem.privateKey(keyFile, contents.of(keyFile), publicKey);
        if (!belong(key, publicKey)) {
            throw new IllegalArgumentException(keyFile + " is not the key of the certificate in " + certificate);
        }
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry(alias, key, NO_PASSWORD, chain.toArray(X509Certificate[]::new));
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, NO_PASSWORD);
            for (KeyManager manager : factory.getKeyManagers()) {
                if (manager instanceof X509ExtendedKeyManager found) {
                    return found;
                }
            }
            throw new IllegalStateException("this JVM has no key manager for X.509");
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException(
                    "this JVM cannot use " + certificate + " with " + keyFile + ": " + e.getMessage());
        }
    }

    /** Returns whether a public key verifies the signatures of a private key. */
    private static boolean belong(PrivateKey key, PublicKey publicKey) {
        String algorithm = switch (publicKey.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            case "EdDSA" -> "EdDSA";
            default ->
                throw new IllegalArgumentException(
                        "keys of the kind " + publicKey.getAlgorithm() + " are not supported: RSA, EC and Ed25519 are");
        };
        byte[] something = {1, 2, 3};
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(something);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            signature.update(something);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            // The check fails here for keys on different curves.
            return false;
        }
    }

    private static X509ExtendedTrustManager trustManager(Optional<Path> file, List<X509Certificate> authorities) {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            if (file.isPresent()) {
                KeyStore store = KeyStore.getInstance("PKCS12");
                store.load(null, null);
                for (int i = 0; i < authorities.size(); i++) {
                    store.setCertificateEntry("authority-" + i, authorities.get(i));
                }
                factory.init(store);
            } else {
                factory.init((KeyStore) null);
            }
            for (TrustManager manager : factory.getTrustManagers()) {
                if (manager instanceof X509ExtendedTrustManager found) {
                    return found;
                }
            }
            throw new IllegalStateException("this JVM has no trust manager for X.509");
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException(
                    "this JVM cannot use the authorities"
                            + file.map(path -> " in " + path).orElse("") + ": " + e.getMessage(),
                    e);
        }
    }
}
