package io.dht4j.spi;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The paths of the PEM files for TLS. Immutable. The files are read at their first use, and again after changes.
 *
 * @param certificate the own certificate and the intermediate ones up to its authority; present if and only if the key
 *     is
 * @param key the own private key, PKCS #8 and not encrypted
 * @param authorities the certificates of the trusted authorities; if absent, the JVM's
 */
public record TlsFiles(Optional<Path> certificate, Optional<Path> key, Optional<Path> authorities) {

    /**
     * Checks that certificate and key are both present or both absent.
     *
     * @throws IllegalArgumentException if only one of them is present
     */
    public TlsFiles {
        if (certificate.isPresent() != key.isPresent()) {
            throw new IllegalArgumentException("a certificate needs its key and a key its certificate: only the "
                    + (key.isPresent() ? "key" : "certificate") + " is given");
        }
    }

    /**
     * Returns the files for mutual authentication.
     *
     * @param certificate the own certificate and the intermediate ones up to its authority
     * @param key its private key
     * @param authorities the certificates of the trusted authorities
     * @return files
     */
    public static TlsFiles mutual(Path certificate, Path key, Path authorities) {
        return new TlsFiles(
                Optional.of(requireNonNull(certificate, "certificate")),
                Optional.of(requireNonNull(key, "key")),
                Optional.of(requireNonNull(authorities, "authorities")));
    }

    /**
     * Returns the files for a server that requires no client certificates.
     *
     * @param certificate the own certificate and the intermediate ones up to its authority
     * @param key its private key
     * @return files
     */
    public static TlsFiles server(Path certificate, Path key) {
        return new TlsFiles(
                Optional.of(requireNonNull(certificate, "certificate")),
                Optional.of(requireNonNull(key, "key")),
                Optional.empty());
    }

    /**
     * Returns the files for a client without a certificate.
     *
     * @param authorities the certificates of the trusted authorities
     * @return files
     */
    public static TlsFiles trusting(Path authorities) {
        return new TlsFiles(
                Optional.empty(), Optional.empty(), Optional.of(requireNonNull(authorities, "authorities")));
    }
}
