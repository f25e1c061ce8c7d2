package io.dht4j.security;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** What the files said at one time: who this is, and who is trusted. */
final class Credentials {

    private static final char[] NO_PASSWORD = new char[0];

    private final Optional<X509ExtendedKeyManager> keyManager;
    private final X509ExtendedTrustManager trustManager;

    private Credentials(Optional<X509ExtendedKeyManager> keyManager, X509ExtendedTrustManager trustManager) {
        this.keyManager = keyManager;
        this.trustManager = trustManager;
    }

    /** Knows its own entry by {@code alias}. Throws IllegalArgumentException that names the file at fault. */
    static Credentials of(TlsFiles files, Contents contents, String alias, Consumer<String> warnings) {
        return new Credentials(
                files.certificate().map(file -> keyManager(file, files.key().orElseThrow(), contents, alias, warnings)),
                trustManager(files.authorities(), contents, warnings));
    }

    Optional<X509ExtendedKeyManager> keyManager() {
        return keyManager;
    }

    X509ExtendedTrustManager trustManager() {
        return trustManager;
    }

    private static X509ExtendedKeyManager keyManager(
            Path certificate, Path keyFile, Contents contents, String alias, Consumer<String> warnings) {
        List<X509Certificate> chain = Pem.certificates(certificate, contents.of(certificate));
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
        warnAboutDates(certificate, chain, warnings);
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

    /** Whether what the one signs the other verifies. */
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
            // Keys on different curves end here.
            return false;
        }
    }

    private static X509ExtendedTrustManager trustManager(
            Optional<Path> file, Contents contents, Consumer<String> warnings) {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            if (file.isPresent()) {
                List<X509Certificate> authorities = Pem.certificates(file.get(), contents.of(file.get()));
                warnAboutDates(file.get(), authorities, warnings);
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

    private static void warnAboutDates(Path file, List<X509Certificate> certificates, Consumer<String> warnings) {
        for (X509Certificate certificate : certificates) {
            try {
                certificate.checkValidity();
            } catch (CertificateException e) {
                warnings.accept(file + ": the certificate of " + certificate.getSubjectX500Principal()
                        + " is valid from " + certificate.getNotBefore().toInstant() + " until "
                        + certificate.getNotAfter().toInstant() + ", not now");
            }
        }
    }
}
