package io.dht4j.transport.common.contract;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.dht4j.Node;
import io.dht4j.spi.Frame;
import io.dht4j.spi.TlsFiles;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.testkit.transport.TransportHarness;
import io.dht4j.transport.common.options.PeerTransportOptions;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Where transports listen, and how they find the listeners of others. */
public interface ListenersSuite<T extends PeerTransportOptions<T>> extends TransportHarness {

    /** Creates a transport. */
    Transport create(T options);

    /** Returns options to listen at an address; at any port if that is 0. */
    T at(String host, int port);

    /** Returns options not to listen. */
    T callingOnly();

    @Test
    default void aPeerMayBeNamedOrHaveAnAddressOfVersion6() {
        Started server = start(echo());
        Started client = start(echo());
        int port = server.port();
        Node named = Node.of("server", "localhost:" + port);
        assertThat(reply(client.transport()
                        .call(named, Frame.of(bytes("a")), within(PATIENCE))
                        .toCompletableFuture()))
                .isEqualTo(bytes("a"));
        Node unknown = Node.of("server", "no-such-host.invalid:" + port);
        assertThat(failure(client.transport()
                                .call(unknown, Frame.of(bytes("a")), within(PATIENCE))
                                .toCompletableFuture())
                        .outcome())
                .isEqualTo(Outcome.NOT_SENT);
        Node nobody = Node.of("server", "[::1]:" + port);
        assertThat(failure(client.transport()
                                .call(nobody, Frame.of(bytes("a")), within(PATIENCE))
                                .toCompletableFuture())
                        .outcome())
                .isEqualTo(Outcome.NOT_SENT);
    }

    @Test
    default void peersMayBeCalledByAddressesOfVersion6() {
        try (Transport server = create(at("::1", 0))) {
            try {
                server.start(echo()).toCompletableFuture().join();
            } catch (CompletionException e) {
                Assumptions.abort("this machine has no IPv6: " + e);
            }
            String address = address(server);
            Node peer = Node.of("server", "[::1]" + address.substring(address.lastIndexOf(':')));
            Started client = start(echo());
            assertThat(reply(client.transport()
                            .call(peer, Frame.of(bytes("a")), within(PATIENCE))
                            .toCompletableFuture()))
                    .isEqualTo(bytes("a"));
        }
    }

    @Test
    default void aTransportThatOnlyCallsDoesNotListen() {
        Started server = start(echo());
        try (Transport caller = create(callingOnly())) {
            caller.start(echo()).toCompletableFuture().join();
            assertThat(address(caller)).endsWith(":0");
            assertThat(reply(caller.call(server.node(), Frame.of(bytes("a")), within(PATIENCE))
                            .toCompletableFuture()))
                    .isEqualTo(bytes("a"));
        }
    }

    @Test
    default void plaintextBeyondThisMachineHasToBeAskedFor() {
        try (Transport refused = create(at("0.0.0.0", 0));
                Transport allowed = create(at("0.0.0.0", 0).withPlaintextAllowed())) {
            assertThat(refused.start(echo()).toCompletableFuture())
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(TransportException.class)
                    .withMessageContaining("0.0.0.0")
                    .withMessageContaining("withPlaintextAllowed()");
            assertThat(allowed.start(echo()).toCompletableFuture()).succeedsWithin(PATIENCE);
        }
    }

    @Test
    default void anAddressThatCannotBeBoundHasARemedy() {
        int taken = start(echo()).port();
        assertRefused(
                at("127.0.0.1", taken),
                "cannot listen on 127.0.0.1:" + taken
                        + ": Address already in use; stop what listens there, or choose another port");
        // A block of addresses for documentation.
        assertRefused(
                at("192.0.2.1", 0).withPlaintextAllowed(),
                "cannot listen on 192.0.2.1:0: Cannot assign requested address; choose an address of this machine, or"
                        + " 0.0.0.0 for all");
    }

    @Test
    default void aMissingFileIsNamed() {
        Path missing = Path.of("missing.pem");
        TlsFiles files = TlsFiles.mutual(missing, missing, missing);
        assertRefused(
                at("127.0.0.1", 0).withTls(files),
                "cannot listen on 127.0.0.1:0: the certificate missing.pem does not exist");
        assertRefused(callingOnly().withTls(files), "cannot start: the certificate missing.pem does not exist");
    }

    @Test
    default void aHostThatDoesNotExistIsNamed() {
        String message = "cannot listen on no-such-host.invalid:0: the name of the host cannot be resolved";
        assertRefused(at("no-such-host.invalid", 0), message);
        assertRefused(at("no-such-host.invalid", 0).withPlaintextAllowed(), message);
    }

    @Test
    @SuppressWarnings("NullAway") // tests the check
    default void missingOptionsAreNamed() {
        assertThatNullPointerException().isThrownBy(() -> create(null)).withMessage("options");
    }

    private void assertRefused(T options, String message) {
        try (Transport transport = create(options)) {
            assertThat(transport.start(echo()).toCompletableFuture())
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(TransportException.class)
                    .withMessage(message);
        }
    }
}
