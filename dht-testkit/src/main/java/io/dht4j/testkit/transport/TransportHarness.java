package io.dht4j.testkit.transport;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * The base of every suite of the transports' contract: the transports of an implementation. The test of an
 * implementation supplies them; methods that differ for few implementations have defaults.
 */
public interface TransportHarness {

    /**
     * Creates a transport that has not been started, at an address of its own choice.
     *
     * @return a new transport, which the contract closes
     */
    Transport newTransport();

    /**
     * Creates a transport that has not been started.
     *
     * @param address the listening address
     * @return a new transport, which the contract closes
     */
    Transport newTransport(String address);

    /**
     * Returns the address of a started transport.
     *
     * @param transport a transport of this implementation
     * @return its address, as in {@link Node#address()}
     */
    String address(Transport transport);

    /**
     * Returns a predicate for the threads of the transports.
     *
     * @return true for threads that must end when all transports are closed
     */
    Predicate<Thread> ownThreads();

    /**
     * Creates a transport that accepts 10,000 calls at a time. For implementations whose limits are lower by default.
     *
     * @return a new transport, which the contract closes
     */
    default Transport newRoomyTransport() {
        return newTransport();
    }

    /**
     * Creates a transport with low limits, which a few hundred concurrent calls reach. For implementations with
     * configurable limits.
     *
     * @return a new transport, which the contract closes
     */
    default Transport newNarrowTransport() {
        return newTransport();
    }

    /**
     * Returns how many concurrent requests a transport of {@link #newNarrowTransport} takes from its peers. It refuses
     * further ones for lack of room, before it has answered the first.
     *
     * @return 1 to 10,000; 10,000 by default, which no test reaches
     */
    default int requestsAtNarrowTransport() {
        return 10_000;
    }

    /**
     * Returns how many concurrent requests of one caller are guaranteed to reach a peer's handler. Further requests may
     * wait on the caller's side, for example where a call needs its own connection.
     *
     * @return 1 to 10,000; 10,000 by default
     */
    default int requestsAtAHandler() {
        return 10_000;
    }

    /**
     * Returns whether the cancellation of a call cancels the context of the peer's running handler.
     *
     * @return true by default
     */
    default boolean cancelsHandlers() {
        return true;
    }

    /**
     * Returns whether closing a transport closes its files and sockets. A transport over a library that leaves some of
     * them to the garbage collector may return false.
     *
     * @return true by default
     */
    default boolean closesFiles() {
        return true;
    }

    /**
     * Waits until a transport has noticed every connection closed by a peer, so that its next call uses a new one. A
     * call on an old connection would be lost without a fault of the transport. For implementations that may use
     * another connection for each call; others notice when a call has failed.
     *
     * @param caller the transport
     * @param closed the closed peer
     */
    default void awaitHungUp(Started caller, Started closed) {}

    /** Checks for other leaks, such as buffers. Called after each test, when all transports are closed. */
    default void expectNoLeaks() {}

    /**
     * Returns the transports of the running test. Contracts implement this method.
     *
     * @return the same object for all tests of an instance
     */
    OpenTransports transports();

    /**
     * Starts a transport and waits until it listens. The transport is closed after the test.
     *
     * @param handler the handler of its requests
     * @return the transport and its address
     */
    default Started start(FrameHandler handler) {
        return start(newTransport(), handler);
    }

    /**
     * Starts a transport that accepts 10,000 calls at a time, and waits until it listens.
     *
     * @param handler the handler of its requests
     * @return the transport and its address
     */
    default Started startRoomy(FrameHandler handler) {
        return start(newRoomyTransport(), handler);
    }

    /**
     * Starts a transport at an address and waits until it listens.
     *
     * @param address the listening address
     * @param handler the handler of its requests
     * @return the transport and its address
     */
    default Started startAt(String address, FrameHandler handler) {
        return start(newTransport(address), handler);
    }

    /**
     * Starts a transport and waits until it listens. The transport is closed after the test.
     *
     * @param transport a new transport
     * @param handler the handler of its requests
     * @return the transport and its address
     */
    default Started start(Transport transport, FrameHandler handler) {
        transports().add(transport);
        Calls.reply(transport.start(handler).thenApply(done -> Calls.NO_BYTES).toCompletableFuture());
        return new Started(transport, address(transport));
    }

    /**
     * A started transport.
     *
     * @param transport the transport
     * @param address its address
     */
    record Started(Transport transport, String address) {

        private static final int LONGEST_HEAD = 101;

        /**
         * Returns the transport as a node.
         *
         * @return a node at its address
         */
        public Node node() {
            return Node.of("peer", address);
        }

        /**
         * Returns the port of the transport.
         *
         * @return the port in its address
         */
        public int port() {
            return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        }

        /**
         * Calls another transport. The request is split within its first bytes, so that heads and bodies of many sizes
         * are tested.
         *
         * @param peer the other transport
         * @param request the frame
         * @param context deadline and cancellation
         * @return the future reply
         */
        public CompletableFuture<byte[]> call(Started peer, byte[] request, CallContext context) {
            return transport.call(peer.node(), split(request), context).toCompletableFuture();
        }

        private static Frame split(byte[] request) {
            int head = request.length == 0 ? 0 : request.length % Math.min(request.length, LONGEST_HEAD);
            return new Frame(Arrays.copyOf(request, head), Arrays.copyOfRange(request, head, request.length));
        }
    }

    /** Counts the requests of a handler. Safe for use by any number of threads. */
    final class Recorder implements FrameHandler {

        private final FrameHandler handler;
        private final AtomicInteger count = new AtomicInteger();

        /**
         * Creates a recorder.
         *
         * @param handler the handler of the requests
         */
        public Recorder(FrameHandler handler) {
            this.handler = handler;
        }

        @Override
        public CompletionStage<byte[]> handle(byte[] request, CallContext context) {
            count.incrementAndGet();
            return handler.handle(request, context);
        }

        /**
         * Returns how many requests have arrived.
         *
         * @return 0 or more
         */
        public int count() {
            return count.get();
        }

        /**
         * Waits for requests.
         *
         * @param least the smallest number of requests
         */
        public void awaitCount(int least) {
            Calls.eventually().until(() -> count.get() >= least);
        }
    }
}
