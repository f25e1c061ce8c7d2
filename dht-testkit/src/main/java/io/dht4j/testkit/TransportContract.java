package io.dht4j.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.spi.CallContext;
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
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link Transport} must do. A subclass supplies transports; {@link SocketTransportContract} has more for those
 * that use sockets. Nothing here measures time: deadlines are generous where a reply is expected and short where none is.
 */
public abstract class TransportContract {

    /** How long a test waits for what must happen. */
    protected static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final byte[] NO_BYTES = {};

    private final List<Transport> transports = new ArrayList<>();
    private Set<Thread> threadsBefore = Set.of();

    /** For subclasses. */
    protected TransportContract() {}

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
     * The largest frame that the transports carry.
     *
     * @return at least 16 MiB
     */
    protected abstract int maxFrameBytes();

    /**
     * Tells the threads of the transports from others.
     *
     * @return true for threads that must be gone once all transports are closed
     */
    protected abstract Predicate<Thread> ownThreads();

    @BeforeEach
    final void rememberThreads() {
        threadsBefore = Thread.getAllStackTraces().keySet();
    }

    @AfterEach
    final void closeAllAndExpectNoThreadsLeft() {
        transports.forEach(Transport::close);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .filteredOn(thread -> !threadsBefore.contains(thread))
                        .filteredOn(thread -> ownThreads().test(thread))
                        .isEmpty());
    }

    // Frames

    @Test
    void frames_of_every_size_arrive_and_come_back() {
        Started server = start(echo());
        Started client = start(echo());
        int[] sizes = {0, 1, 2, 100, 8_191, 8_192, 65_535, 65_536, 65_537, 1 << 20, 16 << 20, maxFrameBytes()};
        for (int size : sizes) {
            byte[] frame = new byte[size];
            new SplittableRandom(size).nextBytes(frame);
            byte[] reply = reply(client.call(server, frame, within(PATIENCE)));
            assertThat(Arrays.equals(reply, frame))
                    .as("frame of %d bytes", size)
                    .isTrue();
        }
    }

    @Test
    void a_frame_over_the_limit_is_refused_before_it_is_sent() {
        Recorder recorder = new Recorder(echo());
        Started server = start(recorder);
        Started client = start(echo());
        TransportException error = failure(client.call(server, new byte[maxFrameBytes() + 1], within(PATIENCE)));
        assertThat(error.outcome()).isEqualTo(Outcome.NOT_SENT);
        assertThat(error)
                .hasMessageContaining(Integer.toString(maxFrameBytes() + 1))
                .hasMessageContaining(Integer.toString(maxFrameBytes()));
        assertThat(reply(client.call(server, bytes("next"), within(PATIENCE)))).isEqualTo(bytes("next"));
        assertThat(recorder.count()).isEqualTo(1);
    }

    @Test
    void a_reply_over_the_limit_fails_and_the_next_call_is_answered() {
        Started server = start((request, context) ->
                CompletableFuture.completedFuture(request.length == 0 ? new byte[maxFrameBytes() + 1] : request));
        Started client = start(echo());
        assertThat(failure(client.call(server, NO_BYTES, within(PATIENCE))).outcome())
                .isEqualTo(Outcome.UNKNOWN);
        assertThat(reply(client.call(server, bytes("next"), within(PATIENCE)))).isEqualTo(bytes("next"));
    }

    // Many calls

    @Test
    void thousands_of_calls_at_a_time_each_get_their_own_reply() {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            Started server =
                    start((request, context) -> CompletableFuture.supplyAsync(() -> negated(request), threads));
            Started client = start(echo());
            int calls = 4_000;
            List<CompletableFuture<byte[]>> replies = new ArrayList<>();
            for (int i = 0; i < calls; i++) {
                replies.add(client.call(server, number(i), within(PATIENCE)));
            }
            for (int i = 0; i < calls; i++) {
                assertThat(reply(replies.get(i))).isEqualTo(negated(number(i)));
            }
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void many_threads_may_call_at_the_same_time() {
        Started server = start((request, context) -> CompletableFuture.completedFuture(negated(request)));
        Started client = start(echo());
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                int from = t * 1_000;
                callers.add(CompletableFuture.runAsync(
                        () -> {
                            for (int i = from; i < from + 300; i++) {
                                assertThat(reply(client.call(server, number(i), within(PATIENCE))))
                                        .isEqualTo(negated(number(i)));
                            }
                        },
                        threads));
            }
            callers.forEach(caller -> reply(caller.thenApply(done -> NO_BYTES)));
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void a_later_call_may_be_answered_first() {
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Started server =
                start((request, context) -> request.length == 0 ? held : CompletableFuture.completedFuture(request));
        Started client = start(echo());
        CompletableFuture<byte[]> first = client.call(server, NO_BYTES, within(PATIENCE));
        for (int i = 0; i < 20; i++) {
            assertThat(reply(client.call(server, number(i), within(PATIENCE)))).isEqualTo(number(i));
        }
        assertThat(first).isNotDone();
        held.complete(bytes("at last"));
        assertThat(reply(first)).isEqualTo(bytes("at last"));
    }

    @Test
    void nodes_call_each_other_and_themselves() {
        Started one = start((request, context) -> CompletableFuture.completedFuture(bytes("one")));
        Started two = start((request, context) -> CompletableFuture.completedFuture(bytes("two")));
        assertThat(reply(one.call(two, NO_BYTES, within(PATIENCE)))).isEqualTo(bytes("two"));
        assertThat(reply(two.call(one, NO_BYTES, within(PATIENCE)))).isEqualTo(bytes("one"));
        assertThat(reply(one.call(one, NO_BYTES, within(PATIENCE)))).isEqualTo(bytes("one"));
    }

    @Test
    void a_handler_may_call_on() {
        Started last = start(echo());
        Transport middle = newTransport();
        transports.add(middle);
        start(middle, (request, context) -> middle.call(last.node(), negated(request), context));
        Started first = start(echo());
        assertThat(reply(first.call(new Started(middle, address(middle)), number(7), within(PATIENCE))))
                .isEqualTo(negated(number(7)));
    }

    // Deadlines

    @Test
    void a_deadline_that_has_passed_keeps_a_call_from_being_sent() {
        Recorder recorder = new Recorder(echo());
        Started server = start(recorder);
        Started client = start(echo());
        assertThat(failure(client.call(server, NO_BYTES, within(Duration.ZERO))).outcome())
                .isEqualTo(Outcome.NOT_SENT);
        reply(client.call(server, NO_BYTES, within(PATIENCE)));
        assertThat(recorder.count()).isEqualTo(1);
    }

    @Test
    void a_call_without_a_reply_ends_at_its_deadline_with_its_outcome_unknown() {
        Recorder recorder = new Recorder((request, context) -> new CompletableFuture<>());
        Started server = start(recorder);
        Started client = start(echo());
        CallContext context = within(Duration.ofMillis(300));
        CompletableFuture<byte[]> call = client.call(server, NO_BYTES, context);
        recorder.awaitCount(1);
        assertThat(failure(call).outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(context.isExpired()).isTrue();
    }

    @Test
    void calls_with_different_deadlines_end_each_at_its_own() {
        Started server = start((request, context) -> new CompletableFuture<>());
        Started client = start(echo());
        CompletableFuture<byte[]> late = client.call(server, NO_BYTES, within(PATIENCE));
        List<CallContext> contexts = new ArrayList<>();
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int millis : new int[] {600, 200, 400, 300, 500}) {
            contexts.add(within(Duration.ofMillis(millis)));
            calls.add(client.call(server, NO_BYTES, contexts.get(contexts.size() - 1)));
        }
        for (int i = 0; i < calls.size(); i++) {
            failure(calls.get(i));
            assertThat(contexts.get(i).isExpired()).isTrue();
        }
        assertThat(late).isNotDone();
    }

    @Test
    void the_handler_sees_how_much_time_is_left() {
        CompletableFuture<Long> seen = new CompletableFuture<>();
        Started server = start((request, context) -> {
            seen.complete(context.remainingNanos());
            return CompletableFuture.completedFuture(request);
        });
        Started client = start(echo());
        reply(client.call(server, NO_BYTES, within(PATIENCE)));
        assertThat(seen.join()).isPositive().isLessThanOrEqualTo(PATIENCE.toNanos());
    }

    // Cancelling

    @Test
    void a_call_that_was_cancelled_before_is_not_sent() {
        Recorder recorder = new Recorder(echo());
        Started server = start(recorder);
        Started client = start(echo());
        CallContext context = within(PATIENCE);
        context.cancel();
        assertThat(failure(client.call(server, NO_BYTES, context)).outcome()).isEqualTo(Outcome.NOT_SENT);
        reply(client.call(server, NO_BYTES, within(PATIENCE)));
        assertThat(recorder.count()).isEqualTo(1);
    }

    @Test
    void a_call_that_is_cancelled_while_the_handler_works_ends_with_its_outcome_unknown() {
        Recorder recorder = new Recorder((request, context) ->
                request.length == 0 ? new CompletableFuture<>() : CompletableFuture.completedFuture(request));
        Started server = start(recorder);
        Started client = start(echo());
        CallContext context = within(PATIENCE);
        CompletableFuture<byte[]> call = client.call(server, NO_BYTES, context);
        recorder.awaitCount(1);
        context.cancel();
        assertThat(failure(call).outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(reply(client.call(server, bytes("next"), within(PATIENCE)))).isEqualTo(bytes("next"));
    }

    @Test
    void cancelling_after_the_reply_changes_nothing() {
        Started server = start(echo());
        Started client = start(echo());
        CallContext context = within(PATIENCE);
        CompletableFuture<byte[]> call = client.call(server, bytes("a"), context);
        assertThat(reply(call)).isEqualTo(bytes("a"));
        context.cancel();
        assertThat(call).isCompletedWithValueMatching(value -> Arrays.equals(value, bytes("a")));
        assertThat(reply(client.call(server, bytes("b"), within(PATIENCE)))).isEqualTo(bytes("b"));
    }

    // Peers that are not there

    @Test
    void a_call_to_an_address_where_nobody_listens_fails_at_once_as_not_sent() {
        Started gone = start(echo());
        gone.transport().close();
        Started client = start(echo());
        // An hour: only an answer that does not wait for the deadline passes.
        assertThat(failure(client.call(gone, NO_BYTES, within(Duration.ofHours(1))))
                        .outcome())
                .isEqualTo(Outcome.NOT_SENT);
    }

    @Test
    void many_calls_to_an_address_where_nobody_listens_all_fail_at_once_as_not_sent() {
        Started gone = start(echo());
        gone.transport().close();
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            calls.add(client.call(gone, NO_BYTES, within(Duration.ofHours(1))));
        }
        calls.forEach(call -> assertThat(failure(call).outcome()).isEqualTo(Outcome.NOT_SENT));
    }

    @Test
    void a_call_to_something_that_is_no_address_fails_as_not_sent() {
        Started client = start(echo());
        Node nowhere = Node.of("nowhere", "no such address");
        TransportException error = failure(
                client.transport().call(nowhere, NO_BYTES, within(PATIENCE)).toCompletableFuture());
        assertThat(error.outcome()).isEqualTo(Outcome.NOT_SENT);
        assertThat(error).hasMessageContaining("no such address");
    }

    @Test
    void a_peer_that_restarts_is_used_by_the_next_call() {
        Started client = start(echo());
        Started server = start(echo());
        for (int round = 0; round < 3; round++) {
            assertThat(reply(client.call(server, number(round), within(PATIENCE))))
                    .isEqualTo(number(round));
            server.transport().close();
            failure(client.call(server, NO_BYTES, within(PATIENCE)));
            server = startAt(server.address(), echo());
        }
        assertThat(reply(client.call(server, bytes("back"), within(PATIENCE)))).isEqualTo(bytes("back"));
    }

    @Test
    void calls_under_way_to_a_peer_that_closes_all_end() {
        Recorder recorder = new Recorder((request, context) -> new CompletableFuture<>());
        Started server = start(recorder);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            calls.add(client.call(server, NO_BYTES, within(Duration.ofHours(1))));
        }
        recorder.awaitCount(10);
        server.transport().close();
        calls.forEach(call -> assertThat(failure(call).outcome()).isEqualTo(Outcome.UNKNOWN));
    }

    // Handlers that fail

    @Test
    void a_handler_that_throws_fails_only_its_own_call() {
        assertFailsOnlyItsOwnCall((request, context) -> {
            throw new IllegalStateException("as this test wants it");
        });
    }

    @Test
    void a_handler_whose_stage_fails_fails_only_its_own_call() {
        assertFailsOnlyItsOwnCall((request, context) ->
                CompletableFuture.failedFuture(new IllegalStateException("as this test wants it")));
    }

    @Test
    @SuppressWarnings("NullAway") // what a careless handler may do
    void a_handler_that_gives_nothing_back_fails_only_its_own_call() {
        assertFailsOnlyItsOwnCall((request, context) -> null);
        assertFailsOnlyItsOwnCall((request, context) -> CompletableFuture.completedFuture(null));
    }

    private void assertFailsOnlyItsOwnCall(FrameHandler careless) {
        Started server = start((request, context) ->
                request.length == 0 ? careless.handle(request, context) : CompletableFuture.completedFuture(request));
        Started client = start(echo());
        for (int i = 0; i < 3; i++) {
            assertThat(failure(client.call(server, NO_BYTES, within(PATIENCE))).outcome())
                    .isEqualTo(Outcome.UNKNOWN);
            assertThat(reply(client.call(server, bytes("next"), within(PATIENCE))))
                    .isEqualTo(bytes("next"));
        }
    }

    // Starting and closing

    @Test
    void starting_at_a_busy_address_fails_with_the_address() {
        Started first = start(echo());
        Transport second = newTransport(first.address());
        transports.add(second);
        TransportException error =
                failure(second.start(echo()).thenApply(done -> NO_BYTES).toCompletableFuture());
        assertThat(error).hasMessageContaining(first.address());
        second.close();
        assertThat(reply(start(echo()).call(first, bytes("a"), within(PATIENCE))))
                .isEqualTo(bytes("a"));
    }

    @Test
    void closing_ends_every_call_under_way() {
        Recorder recorder = new Recorder((request, context) -> new CompletableFuture<>());
        Started server = start(recorder);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            calls.add(client.call(server, NO_BYTES, within(Duration.ofHours(1))));
        }
        recorder.awaitCount(1);
        client.transport().close();
        assertThat(calls).allSatisfy(call -> assertThat(call).isDone());
        calls.forEach(TransportContract::failure);
        assertThat(failure(client.call(server, NO_BYTES, within(PATIENCE))).outcome())
                .isEqualTo(Outcome.NOT_SENT);
    }

    @Test
    void closing_is_allowed_repeatedly_and_before_the_start() {
        Transport neverStarted = newTransport();
        neverStarted.close();
        neverStarted.close();
        Started started = start(echo());
        started.transport().close();
        started.transport().close();
    }

    @Test
    void a_start_that_is_overtaken_by_closing_completes() {
        for (int i = 0; i < 5; i++) {
            Transport transport = newTransport();
            transports.add(transport);
            CompletableFuture<Void> starting = transport.start(echo()).toCompletableFuture();
            transport.close();
            await().atMost(PATIENCE).until(starting::isDone);
            assertThat(failure(transport
                                    .call(Node.of("any", "127.0.0.1:1"), NO_BYTES, within(PATIENCE))
                                    .toCompletableFuture())
                            .outcome())
                    .isEqualTo(Outcome.NOT_SENT);
        }
    }

    @Test
    void a_transport_has_a_name() {
        assertThat(start(echo()).transport().name()).isNotBlank();
    }

    // The promise

    /** Deadlines, cancelled calls and a closing peer, at random: whatever is called not sent was never handled. */
    @Test
    void what_is_said_not_to_be_sent_was_never_handled() {
        for (long seed = 1; seed <= 5; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Set<Integer> handled = ConcurrentHashMap.newKeySet();
            Started server = start((request, context) -> {
                handled.add(ByteBuffer.wrap(request).getInt());
                return answerMost(request);
            });
            Started client = start(echo());
            List<CompletableFuture<byte[]>> calls = new ArrayList<>();
            List<CallContext> contexts = new ArrayList<>();
            int closeAt = 1_000 + random.nextInt(1_000);
            CompletableFuture<Void> closing = new CompletableFuture<>();
            for (int i = 0; i < 2_000; i++) {
                CallContext context = within(Duration.ofMillis(1 + random.nextInt(200)));
                calls.add(client.call(server, number(i), context));
                contexts.add(context);
                if (random.nextInt(4) == 0) {
                    contexts.get(random.nextInt(contexts.size())).cancel();
                }
                if (i == closeAt) {
                    new Thread(() -> {
                                server.transport().close();
                                closing.complete(null);
                            })
                            .start();
                }
            }
            reply(closing.thenApply(done -> NO_BYTES));
            int answered = 0;
            for (int i = 0; i < calls.size(); i++) {
                if (outcomeOf(calls.get(i)) == null) {
                    answered++;
                }
            }
            client.transport().close();
            for (int i = 0; i < calls.size(); i++) {
                if (outcomeOf(calls.get(i)) == Outcome.NOT_SENT) {
                    assertThat(handled).as("seed %d", seed).doesNotContain(i);
                }
            }
            assertThat(handled.size()).as("seed %d", seed).isGreaterThanOrEqualTo(answered);
        }
    }

    private static CompletionStage<byte[]> answerMost(byte[] request) {
        return ByteBuffer.wrap(request).getInt() % 5 == 0
                ? new CompletableFuture<>()
                : CompletableFuture.completedFuture(request);
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

        /**
         * Calls another transport.
         *
         * @param peer the other
         * @param request the frame
         * @param context deadline and cancellation
         * @return the reply to come
         */
        public CompletableFuture<byte[]> call(Started peer, byte[] request, CallContext context) {
            return transport.call(peer.node(), request, context).toCompletableFuture();
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

    private Started startAt(String address, FrameHandler handler) {
        Transport transport = newTransport(address);
        transports.add(transport);
        return start(transport, handler);
    }

    private Started start(Transport transport, FrameHandler handler) {
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
    private static @Nullable Outcome outcomeOf(CompletableFuture<byte[]> call) {
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
     * The bytes of a text.
     *
     * @param text any text
     * @return its UTF-8 form
     */
    protected static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static byte[] number(int i) {
        return ByteBuffer.allocate(4).putInt(i).array();
    }

    private static byte[] negated(byte[] frame) {
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
            await().atMost(PATIENCE).until(() -> count.get() >= least);
        }
    }
}
