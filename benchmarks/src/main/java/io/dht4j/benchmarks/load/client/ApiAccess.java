package io.dht4j.benchmarks.load.client;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.dht4j.server.cli.options.TokenSource;
import io.dht4j.server.client.Access;
import io.dht4j.server.client.ClientException;
import io.dht4j.spi.PrivateFiles;
import io.dht4j.spi.TlsFiles;
import io.dht4j.transport.common.options.RemoteApiOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The credentials of a load, by the files that hold them, which each process reads itself: no token passes between
 * processes. Its wire form is JSON. Without a token's file, {@code $DHT_TOKEN} applies.
 *
 * @param authorities PEM file of the trusted authorities; {@link #NONE} for plaintext, {@link #JVM} for the JVM's
 * @param certificate PEM file of the load's own certificate, or {@link #NONE}
 * @param key PEM file of its private key, or {@link #NONE}
 * @param tokenFile file with the token, or {@link #NONE}
 * @param plaintextAllowed whether the token may be sent in plaintext beyond this machine
 * @param ownNodes whether the nodes belong to the run, and need no token
 */
public record ApiAccess(
        String authorities,
        String certificate,
        String key,
        String tokenFile,
        boolean plaintextAllowed,
        boolean ownNodes) {

    /** The value of a file that is not given. */
    public static final String NONE = "none";

    /** The authorities that the JVM trusts. */
    public static final String JVM = "jvm";

    /** Checks that certificate and key are both given or both absent, and only with TLS. */
    public ApiAccess {
        if (certificate.equals(NONE) != key.equals(NONE)) {
            throw new IllegalArgumentException("--tls-cert and --tls-key go together");
        }
        if (authorities.equals(NONE) && !certificate.equals(NONE)) {
            throw new IllegalArgumentException("--tls-cert has no effect without --tls-ca: name a file, or jvm");
        }
    }

    /** Returns the access to nodes of the run itself: in plaintext and without a token. */
    public static ApiAccess ofOwnNodes() {
        return new ApiAccess(NONE, NONE, NONE, NONE, false, true);
    }

    /** Returns the files for TLS; empty for plaintext. */
    @JsonIgnore
    Optional<TlsFiles> tls() {
        return authorities.equals(NONE)
                ? Optional.empty()
                : Optional.of(new TlsFiles(
                        file(certificate), file(key), authorities.equals(JVM) ? Optional.empty() : file(authorities)));
    }

    /** Reads the token. Blocks. */
    @JsonIgnore
    Optional<String> token() {
        return token(ApiAccess::ignore);
    }

    private Optional<String> token(Consumer<String> warnings) {
        if (ownNodes) {
            return Optional.empty();
        }
        try {
            return TokenSource.read(file(tokenFile), System.getenv(), warnings);
        } catch (ClientException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** Reads the files. Blocks. */
    @JsonIgnore
    Access access() {
        return Access.of(tls(), token(), ApiAccess::ignore);
    }

    /**
     * Returns warnings about the files: others may read a secret, or a certificate is not valid today. Blocks while it
     * reads them.
     *
     * @throws IllegalArgumentException if a file is missing or invalid; the message names it
     */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        file(key).ifPresent(secret -> PrivateFiles.warnIfOpen("the private key", secret, warnings::add));
        Optional<String> token = token(warnings::add);
        Access.of(tls(), token, warnings::add);
        return warnings;
    }

    /** Returns options of a client with this access. Blocks. */
    <T extends RemoteApiOptions<T>> T applyTo(T options) {
        T secured = tls().map(options::withTls).orElse(options);
        T allowed = plaintextAllowed ? secured.withPlaintextAllowed() : secured;
        return token().map(allowed::withToken).orElse(allowed);
    }

    private static Optional<Path> file(String name) {
        return name.equals(NONE) ? Optional.empty() : Optional.of(Path.of(name));
    }

    /** The command has printed warnings about files before it started processes. */
    private static void ignore(String warning) {}
}
