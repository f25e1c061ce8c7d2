package io.dht4j.testkit.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.testkit.network.FreePorts;
import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The fixture of {@link TransportContract}: the transports of a subclass, methods to start and call them, and the check
 * for leaks after each test.
 */
public abstract class TransportHarness {

    /** How long a test waits for an expected event. */
    protected static final Duration PATIENCE = Duration.ofSeconds(30);

    static final byte[] NO_BYTES = {};

    /** Closed after the test. */
    final List<Transport> transports = new ArrayList<>();

    private static final int LONGEST_HEAD = 101;

    /** Allowance for files that the first use of classes and libraries opens permanently. */
    private static final int FILES_OF_THE_JVM = 100;

    private Set<Thread> threadsBefore = Set.of();
    private long filesBefore;

    /** Constructor for {@link TransportContract}. */
    protected TransportHarness() {}

    /**
     * Creates a transport that has not been started, at an address of its own choice.
     *
     * @return a new transport, which the contract closes
     */
    protected abstract Transport newTransport();

    /**
     * Creates a transport that has not been started.
     *
     * @param address the listening address
     * @return a new transport, which the contract closes
     */
    protected abstract Transport newTransport(String address);

    /**
     * Returns the address of a started transport.
     *
     * @param transport a transport of this subclass
     * @return its address, as in {@link Node#address()}
     */
    protected abstract String address(Transport transport);

    /**
     * Returns a predicate for the threads of the transports.
     *
     * @return true for threads that must end when all transports are closed
     */
    protected abstract Predicate<Thread> ownThreads();

    /**
     * Creates a transport that accepts 10,000 calls at a time. For subclasses whose limits are lower by default.
     *
     * @return a new transport, which the contract closes
     */
    protected Transport newRoomyTransport() {
        return newTransport();
    }

    /**
     * Creates a transport with low limits, which a few hundred concurrent calls reach. For subclasses with configurable
     * limits.
     *
     * @return a new transport, which the contract closes
     */
    protected Transport newNarrowTransport() {
        return newTransport();
    }

    /**
     * Returns how many concurrent requests of one caller are guaranteed to reach a peer's handler. Further requests may
     * wait on the caller's side, for example where a call needs its own connection.
     *
     * @return 1 to 10,000; 10,000 by default
     */
    protected int requestsAtAHandler() {
        return 10_000;
    }

    /**
     * Returns whether the cancellation of a call cancels the context of the peer's running handler.
     *
     * @return true by default
     */
    protected boolean tellsPeerOfCancelling() {
        return true;
    }

    /**
     * Returns whether closing a transport closes its files and sockets. A transport over a library that leaves some of
     * them to the garbage collector may return false.
     *
     * @return true by default
     */
    protected boolean closesFiles() {
        return true;
    }

    /**
     * Waits until a transport has noticed every connection closed by a peer, so that its next call uses a new one. A
     * call on an old connection would be lost without a fault of the transport. For subclasses whose transports may use
     * another connection for each call; others notice when a call has failed.
     *
     * @param caller the transport
     * @param closed the closed peer
     */
    protected void awaitHungUp(Started caller, Started closed) {}

    /** Checks for other leaks, such as buffers. Called after each test, when all transports are closed. */
    protected void expectNoLeaks() {}

    @BeforeEach
    final void rememberThreadsAndFiles() {
        threadsBefore = Thread.getAllStackTraces().keySet();
        filesBefore = OpenFiles.count();
    }

    @AfterEach
    final void closeAllAndExpectNothingLeft() {
        transports.forEach(Transport::close);
        expectNoThreadsLeft();
        if (closesFiles()) {
            OpenFiles.expectAtMost(filesBefore + FILES_OF_THE_JVM);
        }
        expectNoLeaks();
    }

    private void expectNoThreadsLeft() {
        eventually()
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .filteredOn(thread -> !threadsBefore.contains(thread))
                        .filteredOn(thread -> ownThreads().test(thread))
                        .isEmpty());
    }

    // Methods that are also for subclasses

    /**
     * A started transport.
     *
     * @param transport the transport
     * @param address its address
     */
    protected record Started(Transport transport, String address) {

        /**
         * Returns the transport as a node.
         *
         * @return a node at its address
         */
        public Node node() {
            return Node.of("peer", address);
        }

        /** Splits a request within the first bytes, so that heads and bodies of many sizes are tested. */
        private static Frame split(byte[] request) {
            int head = request.length == 0 ? 0 : request.length % Math.min(request.length, LONGEST_HEAD);
            return new Frame(Arrays.copyOf(request, head), Arrays.copyOfRange(request, head, request.length));
        }

        /**
         * Calls another transport.
         *
         * @param peer the other transport
         * @param request the frame
         * @param context deadline and cancellation
         * @return the future reply
         */
        public CompletableFuture<byte[]> call(Started peer, byte[] request, CallContext context) {
            return transport.call(peer.node(), split(request), context).toCompletableFuture();
        }
    }

    /**
     * Starts a transport and waits until it listens. The transport is closed after the test.
     *
     * @param handler the handler of its requests
     * @return the transport and its address
     */
    protected final Started start(FrameHandler handler) {
        Transport transport = newTransport();
        transports.add(transport);
        return start(transport, handler);
    }

    /** Starts a transport that accepts 10,000 calls at a time. */
    final Started startRoomy(FrameHandler handler) {
        Transport transport = newRoomyTransport();
        transports.add(transport);
        return start(transport, handler);
    }

    /**
     * Returns an address reserved for this caller, also while no process listens there. The system may assign an
     * unreserved port to an outgoing connection.
     */
    static String ownAddress() {
        return "127.0.0.1:" + FreePorts.find();
    }

    final Started startAt(String address, FrameHandler handler) {
        Transport transport = newTransport(address);
        transports.add(transport);
        return start(transport, handler);
    }

    final Started start(Transport transport, FrameHandler handler) {
        reply(transport.start(handler).thenApply(done -> NO_BYTES).toCompletableFuture());
        return new Started(transport, address(transport));
    }

    /**
     * Creates a context by the system's clock.
     *
     * @param time until the deadline
     * @return a new context
     */
    protected static CallContext within(Duration time) {
        return new CallContext(System::nanoTime, time.toNanos());
    }

    /**
     * Returns a handler that replies with the request.
     *
     * @return the handler
     */
    protected static FrameHandler echo() {
        return (request, context) -> CompletableFuture.completedFuture(request);
    }

    /**
     * Waits for the reply of a call.
     *
     * @param call the call
     * @return its reply
     */
    protected static byte[] reply(CompletableFuture<byte[]> call) {
        try {
            return call.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("expected a reply, not " + e.getCause(), e);
        } catch (TimeoutException | InterruptedException e) {
            throw new AssertionError("expected a reply in time", e);
        }
    }

    /**
     * Waits for the failure of a call.
     *
     * @param call the call
     * @return its failure
     */
    protected static TransportException failure(CompletableFuture<byte[]> call) {
        try {
            byte[] reply = call.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            throw new AssertionError("expected a failure, not a reply of " + reply.length + " bytes");
        } catch (ExecutionException e) {
            Throwable cause = DhtException.unwrap(e);
            assertThat(cause).isInstanceOf(TransportException.class);
            return (TransportException) cause;
        } catch (TimeoutException | InterruptedException e) {
            throw new AssertionError("expected a failure in time", e);
        }
    }

    /** Returns the outcome of a failed call, or null if it was answered. */
    static @Nullable Outcome outcomeOf(CompletableFuture<byte[]> call) {
        try {
            call.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            return null;
        } catch (ExecutionException e) {
            return ((TransportException) DhtException.unwrap(e)).outcome();
        } catch (TimeoutException | InterruptedException e) {
            throw new AssertionError("expected every call to end in time", e);
        }
    }

    /**
     * Repeats an attempt that needs an unknown but short time, such as a deadline by which a request must have arrived.
     * The first attempt has 300 ms and each further one four times as much, in case a thread or the machine was
     * suspended.
     *
     * @param attempt returns whether the time was enough; throws on other failures
     */
    static void withEnoughTime(Predicate<Duration> attempt) {
        Duration time = Duration.ofMillis(300);
        while (!attempt.test(time)) {
            time = time.multipliedBy(4);
            assertThat(time).as("time that should have been enough").isLessThan(PATIENCE);
        }
    }

    /**
     * Begins to wait for an expected event, at most {@link #PATIENCE}.
     *
     * @return a factory to be completed with a condition
     */
    protected static ConditionFactory eventually() {
        return await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .pollInSameThread()
                .atMost(PATIENCE);
    }

    /**
     * Returns the UTF-8 bytes of a text.
     *
     * @param text any text
     * @return its UTF-8 form
     */
    protected static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /** Returns the number that {@link #number} put into a frame. */
    static int numberIn(byte[] frame) {
        return ByteBuffer.wrap(frame).getInt();
    }

    static byte[] number(int i) {
        return ByteBuffer.allocate(4).putInt(i).array();
    }

    static byte[] negated(byte[] frame) {
        byte[] result = new byte[frame.length];
        for (int i = 0; i < frame.length; i++) {
            result[i] = (byte) ~frame[i];
        }
        return result;
    }

    /** Counts the requests of a handler. Safe for use by any number of threads. */
    protected static final class Recorder implements FrameHandler {

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
            eventually().until(() -> count.get() >= least);
        }
    }
}
