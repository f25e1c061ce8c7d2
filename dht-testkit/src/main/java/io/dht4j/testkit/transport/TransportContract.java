package io.dht4j.testkit.transport;

import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The contract of every {@link io.dht4j.spi.Transport}. The test of a transport extends this class and supplies
 * transports as {@link TransportHarness} describes; {@link SocketTransportContract} has additional tests for transports
 * over sockets. The contract is composed of suites, one for each subject: frames of all sizes, concurrent calls,
 * deadlines, cancelled calls, peers that stop and restart, forgotten peers, counts of connections, handlers that fail,
 * starting and closing, and the outcome <i>not sent</i>, which must always be true. No test measures time: deadlines
 * are long where a reply is expected and short where none is.
 */
public abstract class TransportContract
        implements FramesSuite,
                ConcurrentCallsSuite,
                DeadlinesSuite,
                CancellationSuite,
                PeersSuite,
                ForgottenPeersSuite,
                ConnectionsSuite,
                HandlersSuite,
                LifecycleSuite,
                OutcomesSuite {

    @RegisterExtension
    final OpenTransports transports = new OpenTransports();

    /** Constructor for subclasses. */
    protected TransportContract() {}

    /**
     * Returns the size of the largest frame that the transports carry.
     *
     * @return at least 16 MiB
     */
    @Override
    public abstract int maxFrameBytes();

    @Override
    public final OpenTransports transports() {
        return transports;
    }
}
