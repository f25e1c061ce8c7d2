package io.dht4j.testkit.transport;

/**
 * The contract of every {@link io.dht4j.spi.Transport}. The test of a transport extends this class and supplies
 * transports; {@link SocketTransportContract} has additional tests for transports over sockets. Superclasses contain
 * the tests, one class for each subject, and {@link TransportHarness} contains the methods for subclasses to implement.
 * No test measures time: deadlines are long where a reply is expected and short where none is.
 *
 * <ul>
 *   <li>{@link TransportFramesContract}: sizes
 *   <li>{@link TransportConcurrencyContract}: concurrent calls
 *   <li>{@link TransportDeadlinesContract}: deadlines
 *   <li>{@link TransportCancellingContract}: cancelled calls
 *   <li>{@link TransportPeersContract}: peers that stop and restart
 *   <li>{@link TransportHandlersContract}: handlers that fail
 *   <li>{@link TransportLifecycleContract}: starting and closing
 *   <li>{@link TransportPromiseContract}: the outcome <i>not sent</i> is always true
 * </ul>
 */
public abstract class TransportContract extends TransportPromiseContract {

    /** Constructor for subclasses. */
    protected TransportContract() {}
}
