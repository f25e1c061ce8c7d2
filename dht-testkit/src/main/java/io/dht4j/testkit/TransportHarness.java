package io.dht4j.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
 * What the parts of {@link TransportContract} share: the transports of a subclass, the tools to start and to call them,
 * and the check after each test that nothing is left of them.
 */
public abstract class TransportHarness {

    /** How long a test waits for what must happen. */
    protected static final Duration PATIENCE = Duration.ofSeconds(30);

    static final byte[] NO_BYTES = {};

    /** Closed after the test. */
    final List<Transport> transports = new ArrayList<>();

    /** Classes and libraries that a test is the first to use are files that stay open. */
    private static final int LONGEST_HEAD = 101;

    private static final int FILES_OF_THE_JVM = 100;

    private Set<Thread> threadsBefore = Set.of();
    private long filesBefore;

    /** For {@link TransportContract}. */
    protected TransportHarness() {}

    /**
     * Makes a transport that is not started, at an address of its own choice.
     *
     * @return a new transport, which the contract closes
     */
    protected abstract Transport newTransport();

    /**
     * Makes a transport that is not started.
     *
     * @param address where it will listen
     * @return a new transport, which the contract closes
     */
    protected abstract Transport newTransport(String address);

    /**
     * Where a started transport can be called.
     *
     * @param transport one that this subclass made
     * @return its address, as in {@link Node#address()}
     */
    protected abstract String address(Transport transport);

    /**
     * Tells the threads of the transports from others.
     *
     * @return true for threads that must be gone once all transports are closed
     */
    protected abstract Predicate<Thread> ownThreads();

    /**
     * Makes a transport with room for many calls: one that takes 10,000 at a time. For subclasses whose bounds are
     * lower by default.
     *
     * @return a new transport, which the contract closes
     */
    protected Transport newRoomyTransport() {
        return newTransport();
    }

    /**
     * Makes a transport with little room, so that its bounds are met by a few hundred calls at a time. For subclasses
     * that can be bounded so.
     *
     * @return a new transport, which the contract closes
     */
    protected Transport newNarrowTransport() {
        return newTransport();
    }

    /**
     * How many requests of one caller are certain to be with a peer's handler at a time. Others may wait on the
     * caller's side, as where a call needs a connection of its own.
     *
     * @return 1 to 10,000; 10,000 by default
     */
    protected int requestsAtAHandler() {
        return 10_000;
    }

    /**
     * Whether the context of a peer's handler is cancelled when the caller's is, while the handler works.
     *
     * @return true by default
     */
    protected boolean tellsPeerOfCancelling() {
        return true;
    }

    /**
     * Whether the files and sockets of a transport are closed when it is. One over a library that leaves some of them
     * to the garbage collector may say no.
     *
     * @return true by default
     */
    protected boolean closesFiles() {
        return true;
    }

    /**
     * Waits until a transport knows of every connection that a peer has closed, so that its next call is made on a new
     * one. A call on an old one would be lost with it, which is no fault of the transport. For subclasses whose
     * transports may use another connection for each call; others know when a call has failed.
     *
     * @param caller the transport
     * @param closed the peer, which has been closed
     */
    protected void awaitHungUp(Started caller, Started closed) {}

    /**
     * Looks for what else may be left behind, such as buffers. Called after each test, when all transports are closed.
     */
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

    // Tools, for subclasses too

    /**
     * A transport that has been started.
     *
     * @param transport the transport
     * @param address where it can be called
     */
    protected record Started(Transport transport, String address) {

        /**
         * The transport as a node.
         *
         * @return a node at its address
         */
        public Node node() {
            return Node.of("peer", address);
        }

        /** Somewhere within the first bytes, so that parts of all sizes meet all that a transport does with frames. */
        private static Frame split(byte[] request) {
            int head = request.length == 0 ? 0 : request.length % Math.min(request.length, LONGEST_HEAD);
            return new Frame(Arrays.copyOf(request, head), Arrays.copyOfRange(request, head, request.length));
        }

        /**
         * Calls another transport.
         *
         * @param peer the other
         * @param request the frame
         * @param context deadline and cancellation
         * @return the reply to come
         */
        public CompletableFuture<byte[]> call(Started peer, byte[] request, CallContext context) {
            return transport.call(peer.node(), split(request), context).toCompletableFuture();
        }
    }

    /**
     * Starts a transport and waits until it listens. It is closed after the test.
     *
     * @param handler answers its requests
     * @return the transport and its address
     */
    protected final Started start(FrameHandler handler) {
        Transport transport = newTransport();
        transports.add(transport);
        return start(transport, handler);
    }

    /** Starts a transport that has room for 10,000 calls. */
    final Started startRoomy(FrameHandler handler) {
        Transport transport = newRoomyTransport();
        transports.add(transport);
        return start(transport, handler);
    }

    /**
     * An address that is nobody else's, also while nobody listens there: the system gives others that were left to
     * somebody's connection.
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
     * A context by the system's clock.
     *
     * @param time until the deadline
     * @return a new context
     */
    protected static CallContext within(Duration time) {
        return new CallContext(System::nanoTime, time.toNanos());
    }

    /**
     * A handler that replies with the request.
     *
     * @return the handler
     */
    protected static FrameHandler echo() {
        return (request, context) -> CompletableFuture.completedFuture(request);
    }

    /**
     * Waits for a reply.
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
     * Waits for a failure.
     *
     * @param call the call
     * @return what it failed with
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

    /** How a call failed, or null if it was answered. */
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
     * Tries something that needs an unknown but short time, such as a deadline by which a request must have arrived:
     * with 300 ms first, and then, in case a thread or the machine stood still for so long, with four times as much
     * again and again.
     *
     * @param attempt whether the time was enough; fails by itself if something was wrong
     */
    static void withEnoughTime(Predicate<Duration> attempt) {
        Duration time = Duration.ofMillis(300);
        while (!attempt.test(time)) {
            time = time.multipliedBy(4);
            assertThat(time).as("time that should have been enough").isLessThan(PATIENCE);
        }
    }

    /**
     * Begins to wait for something that must happen, with {@link #PATIENCE} as the bound.
     *
     * @return to be completed with a condition
     */
    protected static ConditionFactory eventually() {
        return await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .pollInSameThread()
                .atMost(PATIENCE);
    }

    /**
     * The bytes of a text.
     *
     * @param text any text
     * @return its UTF-8 form
     */
    protected static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /** The number that {@link #number} put into a frame. */
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

    /** Counts the requests that reach a handler. Safe for use by any number of threads. */
    protected static final class Recorder implements FrameHandler {

        private final FrameHandler handler;
        private final AtomicInteger count = new AtomicInteger();

        /**
         * A recorder.
         *
         * @param handler answers the requests
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
         * How many requests have come.
         *
         * @return 0 or more
         */
        public int count() {
            return count.get();
        }

        /**
         * Waits for requests.
         *
         * @param least how many, at least
         */
        public void awaitCount(int least) {
            eventually().until(() -> count.get() >= least);
        }
    }
}
