package io.dht4j.testkit.tls;

import static io.dht4j.testkit.transport.Calls.NO_BYTES;

import io.dht4j.spi.TlsFiles;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.transport.OpenTransports;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of transports with TLS, in addition to {@link io.dht4j.testkit.transport.TransportContract}: both sides
 * authenticate, and frames of other callers reach no handler. Nodes n1 and n2 are valid; all others must be refused.
 * The contract is composed of suites: callees, callers, and files that change.
 */
public abstract class SecureTransportContract implements CalleesSuite, CallersSuite, RotationSuite {

    @RegisterExtension
    final OpenTransports transports = new OpenTransports();

    private TestCertificates authority;
    private NamedCallers handler = new NamedCallers();

    @TempDir
    private Path directory;

    /** Constructor for subclasses. */
    @SuppressWarnings("NullAway.Init") // set before each test
    protected SecureTransportContract() {}

    /**
     * Creates a transport that has not been started.
     *
     * @param tls keys and certificates; if empty, the transport speaks plaintext
     * @param address the listening address; port 0 means any free one
     * @return a new transport, which the contract closes
     */
    @Override
    public abstract Transport newTransport(Optional<TlsFiles> tls, String address);

    /**
     * Returns a request with an empty frame in wire format, for a caller without a certificate.
     *
     * @return the bytes; by default none, for protocols in which such a caller cannot send a request
     */
    @Override
    public byte[] requestBytes() {
        return NO_BYTES;
    }

    @Override
    public final Transport newTransport() {
        return newTransport(ANY_PORT);
    }

    @Override
    public final Transport newTransport(String address) {
        return newTransport(Optional.of(authority.mutual("n1")), address);
    }

    @BeforeEach
    final void createAuthority() {
        authority = TestCertificates.in(directory);
        handler = new NamedCallers("n1", "n2");
    }

    @Override
    public final OpenTransports transports() {
        return transports;
    }

    @Override
    public final Path directory() {
        return directory;
    }

    @Override
    public final TestCertificates authority() {
        return authority;
    }

    @Override
    public final NamedCallers handler() {
        return handler;
    }
}
