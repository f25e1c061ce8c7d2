package io.dht4j.transport.common.options;

import static java.util.Objects.requireNonNull;

import io.dht4j.security.Plaintext;
import io.dht4j.spi.TlsFiles;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Encryption: TLS, or plaintext, which stays on loopback unless more is allowed explicitly.
 *
 * @param tls the files of TLS; empty for plaintext
 * @param plaintextAllowed whether plaintext may go beyond loopback
 * @param plaintextOption the name of the option that allows that, for messages
 */
public record WireSecurity(Optional<TlsFiles> tls, boolean plaintextAllowed, String plaintextOption) {

    private static final WireSecurity LOOPBACK = new WireSecurity(Optional.empty(), false, "withPlaintextAllowed()");

    /**
     * Returns the default: plaintext on loopback only.
     *
     * @return the default
     */
    public static WireSecurity onLoopback() {
        return LOOPBACK;
    }

    /**
     * Returns a copy with TLS.
     *
     * @param files certificate, key and authorities, if they are needed
     * @return new settings
     */
    public WireSecurity withTls(TlsFiles files) {
        return new WireSecurity(Optional.of(requireNonNull(files, "files")), plaintextAllowed, plaintextOption);
    }

    /**
     * Returns a copy that may use plaintext beyond loopback.
     *
     * @return new settings
     */
    public WireSecurity withPlaintextAllowed() {
        return new WireSecurity(tls, true, plaintextOption);
    }

    /**
     * Returns a copy that may use plaintext beyond loopback, for an application whose users set an option of its own.
     *
     * @param option the name of that option, for messages
     * @return new settings
     */
    public WireSecurity withPlaintextAllowed(String option) {
        return new WireSecurity(tls, true, requireNonNull(option, "option"));
    }

    /**
     * Refuses TLS without the files that a server needs: a certificate with its key, and where peers call the
     * authorities of their certificates.
     *
     * @param forPeers whether peers call
     * @return these settings
     * @throws IllegalArgumentException if a file is missing
     */
    public WireSecurity requireServerFiles(boolean forPeers) {
        if (tls.isPresent() && tls.get().certificate().isEmpty()) {
            throw new IllegalArgumentException(
                    (forPeers ? "tls between nodes" : "tls of a listener") + " needs a certificate and its key");
        }
        if (forPeers && tls.isPresent() && tls.get().authorities().isEmpty()) {
            throw new IllegalArgumentException("tls between nodes needs the authorities of their certificates");
        }
        return this;
    }

    /**
     * Refuses plaintext beyond loopback unless it is allowed; does nothing with TLS. Blocks while it resolves the host.
     *
     * @param what the traffic, for the message
     * @param host the host to bind
     * @param warnings receives a line that names the option if plaintext beyond loopback is used and allowed
     * @throws IllegalArgumentException if the host is not loopback and plaintext is not allowed
     */
    public void requirePlaintextAllowed(String what, String host, Consumer<String> warnings) {
        if (tls.isEmpty()) {
            Plaintext.require(what, host, plaintextAllowed, plaintextOption, warnings);
        }
    }

    /**
     * Does the same as {@link #requirePlaintextAllowed}, for a token that is sent to a host.
     *
     * @param what the token, for the message
     * @param host the host to call
     * @param warnings receives a line that names the option if plaintext beyond loopback is used and allowed
     * @throws IllegalArgumentException if the host is not loopback and plaintext is not allowed
     */
    public void requirePlaintextTokenAllowed(String what, String host, Consumer<String> warnings) {
        if (tls.isEmpty()) {
            Plaintext.requireForToken(what, host, plaintextAllowed, plaintextOption, warnings);
        }
    }
}
