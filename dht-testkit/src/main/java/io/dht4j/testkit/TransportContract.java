package io.dht4j.testkit;

/**
 * What every {@link io.dht4j.spi.Transport} must do. Implementers extend this class and supply transports;
 * {@link SocketTransportContract} has more for those that use sockets. The tests are in the classes that this one
 * extends, a class for each subject, and what a subclass supplies is in {@link TransportHarness}. Nothing here measures
 * time: deadlines are generous where a reply is expected and short where none is.
 *
 * <ul>
 *   <li>{@link TransportFramesContract}: sizes
 *   <li>{@link TransportConcurrencyContract}: many calls at a time
 *   <li>{@link TransportDeadlinesContract}: deadlines
 *   <li>{@link TransportCancellingContract}: cancelled calls
 *   <li>{@link TransportPeersContract}: peers that go and come back
 *   <li>{@link TransportHandlersContract}: handlers that fail
 *   <li>{@link TransportLifecycleContract}: starting and closing
 *   <li>{@link TransportPromiseContract}: <i>not sent</i> is only said when it is true
 * </ul>
 */
public abstract class TransportContract extends TransportPromiseContract {

    /** For subclasses. */
    protected TransportContract() {}
}
