package io.dht4j.transport.http.internal.api;

import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.vertx.core.buffer.Buffer;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * A body that is a value. Its array grows as bytes arrive, and its length is counted before its allocation. The
 * replaced array, at most as long as the received bytes, exists until the copy ends and no longer counts. Belongs to
 * the request's event loop.
 */
final class ValueBody implements RequestBody.Receiver {

    private static final int FIRST_CAPACITY = 64 * 1024;

    private final int maxBytes;
    private final LongFunction<InvalidRequestException> refusal;
    private final long announced;
    private final InFlightLease share;
    private final Consumer<byte[]> whenWhole;
    private byte[] bytes;
    private int size;

    /**
     * Waits for a value.
     *
     * @param whenWhole receives the bytes, to which no other reference is kept
     */
    ValueBody(ApiExchange exchange, Consumer<byte[]> whenWhole) {
        this(
                exchange,
                exchange.limits().maxValueBytes(),
                bytes -> tooLarge(exchange.limits().maxValueBytes(), bytes),
                whenWhole);
    }

    /**
     * Waits for a value.
     *
     * @param maxBytes the most bytes that it may have
     * @param refusal returns the error for a larger one, by its length; negative if that is unknown
     * @param whenWhole receives the bytes, to which no other reference is kept
     */
    ValueBody(
            ApiExchange exchange,
            int maxBytes,
            LongFunction<InvalidRequestException> refusal,
            Consumer<byte[]> whenWhole) {
        this.maxBytes = maxBytes;
        this.refusal = refusal;
        this.announced = exchange.body().length();
        this.whenWhole = whenWhole;
        this.share = exchange.share();
        this.bytes = new byte[0];
    }

    @Override
    public int maxBytes() {
        return maxBytes;
    }

    @Override
    public InvalidRequestException tooLarge() {
        return refusal.apply(announced);
    }

    /**
     * Refuses a value.
     *
     * @param maxBytes the most bytes that it may have
     * @param bytes the bytes that it has; negative if that is unknown
     */
    static InvalidRequestException tooLarge(int maxBytes, long bytes) {
        return new InvalidRequestException(
                ErrorCode.VALUE_TOO_LARGE,
                "a value has at most " + maxBytes + " bytes on this node"
                        + (bytes < 0 ? "" : ", this one has " + bytes));
    }

    @Override
    public void received(Buffer chunk) {
        int length = chunk.length();
        if (bytes.length - size < length) {
            grow(size + length);
        }
        chunk.getBytes(bytes, size);
        size += length;
    }

    private void grow(int needed) {
        // While an array grows it is there twice: the fewer steps, the smaller the one before the last.
        long factor = announced < 0 ? 2 : 4;
        long larger = Math.min(maxBytes, Math.max(FIRST_CAPACITY, factor * bytes.length));
        long capacity = announced < 0 ? larger : Math.min(larger, announced);
        int length = (int) Math.max(needed, capacity);
        share.reserve(length - bytes.length);
        bytes = Arrays.copyOf(bytes, length);
    }

    @Override
    public void ended() {
        byte[] whole = size == bytes.length ? bytes : Arrays.copyOf(bytes, size);
        share.unreserve(bytes.length - size);
        bytes = new byte[0];
        whenWhole.accept(whole);
    }

    @Override
    public void dropped() {
        bytes = new byte[0];
    }
}
