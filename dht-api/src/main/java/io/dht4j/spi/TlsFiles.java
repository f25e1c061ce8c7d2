package io.dht4j.spi;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the PEM files are that TLS needs. Immutable; the files are read when they are first used, and again when they
 * change.
 *
 * @param certificate the own certificate and those between it and its authority; present if and only if the key is
 * @param key the own private key, PKCS #8 and not encrypted
 * @param authorities the certificates of the authorities that are trusted; without it, those that the JVM trusts
 */
public record TlsFiles(Optional<Path> certificate, Optional<Path> key, Optional<Path> authorities) {

    /**
     * Checks that certificate and key come together.
     *
     * @throws IllegalArgumentException if only one of them is there
     */
    public TlsFiles {
        if (certificate.isPresent() != key.isPresent()) {
            throw new IllegalArgumentException("a certificate needs its key and a key its certificate: only the "
                    + (key.isPresent() ? "key" : "certificate") + " is given");
        }
    }

    /**
     * For both sides to prove who they are.
     *
     * @param certificate the own certificate, and those between it and its authority
     * @param key its private key
     * @param authorities who is trusted
     * @return files
     */
    public static TlsFiles mutual(Path certificate, Path key, Path authorities) {
        return new TlsFiles(Optional.of(certificate), Optional.of(key), Optional.of(authorities));
    }

    /**
     * For a server whose clients need no certificate.
     *
     * @param certificate the own certificate, and those between it and its authority
     * @param key its private key
     * @return files
     */
    public static TlsFiles server(Path certificate, Path key) {
        return new TlsFiles(Optional.of(certificate), Optional.of(key), Optional.empty());
    }

    /**
     * For a client that has no certificate.
     *
     * @param authorities who is trusted
     * @return files
     */
    public static TlsFiles trusting(Path authorities) {
        return new TlsFiles(Optional.empty(), Optional.empty(), Optional.of(authorities));
    }
}
