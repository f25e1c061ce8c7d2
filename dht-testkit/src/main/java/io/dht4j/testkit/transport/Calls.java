package io.dht4j.testkit.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.DhtException;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.testkit.network.FreePorts;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

/** Calls of tests, and the frames in them. All methods that wait do so for at most {@link #PATIENCE}. */
public final class Calls {

    /** How long a test waits for an expected event. */
    public static final Duration PATIENCE = Duration.ofSeconds(30);

    /** An empty frame. */
    @SuppressWarnings("MutableStaticArray") // an empty array cannot be changed
    public static final byte[] NO_BYTES = {};

    private Calls() {}

    /**
     * Creates a context by the system's clock.
     *
     * @param time until the deadline
     * @return a new context
     */
    public static CallContext within(Duration time) {
        return new CallContext(System::nanoTime, time.toNanos());
    }

    /**
     * Returns a handler that replies with the request.
     *
     * @return the handler
     */
    public static FrameHandler echo() {
        return (request, context) -> CompletableFuture.completedFuture(request);
    }

    /**
     * Waits for the reply of a call.
     *
     * @param call the call
     * @return its reply
     */
    public static byte[] reply(CompletableFuture<byte[]> call) {
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
    public static TransportException failure(CompletableFuture<byte[]> call) {
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

    /**
     * Waits for the end of a call.
     *
     * @param call the call
     * @return the outcome of a failed call, or null if it was answered
     */
    public static @Nullable Outcome outcomeOf(CompletableFuture<byte[]> call) {
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
     * Repeats an attempt that needs an unknown but short time, such as a deadline for the arrival of a request. The
     * first attempt has 300 ms and each further one four times as much, in case a thread or the machine was suspended.
     *
     * @param attempt returns whether the time was enough; throws on other failures
     */
    public static void withEnoughTime(Predicate<Duration> attempt) {
        Duration time = Duration.ofMillis(300);
        while (!attempt.test(time)) {
            time = time.multipliedBy(4);
            assertThat(time).as("time that should have been enough").isLessThan(PATIENCE);
        }
    }

    /**
     * Begins to wait for an expected event.
     *
     * @return a factory to be completed with a condition
     */
    public static ConditionFactory eventually() {
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
    public static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /**
     * Returns an address reserved for this caller, also while no process listens there. The system may assign an
     * unreserved port to an outgoing connection.
     */
    static String ownAddress() {
        return "127.0.0.1:" + FreePorts.find();
    }

    /** Returns a frame of four bytes that holds a number. */
    static byte[] number(int i) {
        return ByteBuffer.allocate(4).putInt(i).array();
    }

    /** Returns the number that {@link #number} put into a frame. */
    static int numberIn(byte[] frame) {
        return ByteBuffer.wrap(frame).getInt();
    }

    /** Returns a frame with every bit inverted. */
    static byte[] negated(byte[] frame) {
        byte[] result = new byte[frame.length];
        for (int i = 0; i < frame.length; i++) {
            result[i] = (byte) ~frame[i];
        }
        return result;
    }
}
