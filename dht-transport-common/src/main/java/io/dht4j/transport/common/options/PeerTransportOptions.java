package io.dht4j.transport.common.options;

import static java.util.Objects.requireNonNull;

import io.dht4j.Ranges;
import io.dht4j.spi.MemoryBudget;
import java.time.Duration;

/**
 * The options that every transport between nodes has: address and limits. Immutable. Every {@code with} method returns
 * a copy, and throws an {@link IllegalArgumentException} that names option, value and allowed range.
 *
 * @param <T> the options of one transport
 */
public abstract class PeerTransportOptions<T extends PeerTransportOptions<T>> extends ListenerOptions<T> {

    private static final int LARGEST_FRAME = 1 << 30;
    private static final int DEFAULT_FRAME = 17 << 20;
    /** The bytes of a frame without a value. */
    private static final int FRAME_OVERHEAD = 1 << 20;

    private final Settings settings;

    /**
     * How much is held for peers.
     *
     * @param maxFrameBytes the largest frame
     * @param maxQueuedPerPeer calls that wait for a peer
     * @param maxQueuedBytesPerPeer the bytes of unfinished calls to a peer
     * @param maxInFlight requests of peers in flight
     * @param maxInFlightBytes the bytes of peers' requests and of replies to them
     */
    public record Limits(
            int maxFrameBytes,
            int maxQueuedPerPeer,
            long maxQueuedBytesPerPeer,
            int maxInFlight,
            long maxInFlightBytes) {

        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException if one is out of its range
         */
        public Limits {
            Ranges.require("maxFrameBytes", maxFrameBytes, 1024, LARGEST_FRAME);
            Ranges.require("maxQueuedPerPeer", maxQueuedPerPeer, 1, 10_000_000);
            Ranges.require("maxQueuedBytesPerPeer", maxQueuedBytesPerPeer, 1, Long.MAX_VALUE / 2);
            Ranges.require("maxInFlight", maxInFlight, 1, 10_000_000);
            Budgets.require(
                    "maxInFlightBytes", maxInFlightBytes, 1, Long.MAX_VALUE / 2, "maxFrameBytes", maxFrameBytes);
        }

        private static Limits of(MemoryBudget memory, int maxFrameBytes, int maxQueuedPerPeer, int maxInFlight) {
            return new Limits(
                    maxFrameBytes,
                    maxQueuedPerPeer,
                    memory.queueBytes(maxFrameBytes),
                    maxInFlight,
                    memory.frameBytes(maxFrameBytes));
        }
    }

    /**
     * All groups of these options.
     *
     * @param address the address to bind
     * @param listens whether to listen at all
     * @param eventLoops the number of event loop threads
     * @param connectTimeout the time to connect to a peer
     * @param limits how much is held for peers
     * @param listener how connections are accepted and closed
     */
    protected record Settings(
            ListenAddress address,
            boolean listens,
            int eventLoops,
            Duration connectTimeout,
            Limits limits,
            Listener listener) {

        /**
         * Checks the ranges and the files of TLS.
         *
         * @throws IllegalArgumentException if one is out of its range or a file is missing
         */
        public Settings {
            Ranges.require("eventLoops", eventLoops, 1, 256);
            Ranges.require("connectTimeout", connectTimeout, Duration.ofMillis(1), Duration.ofMinutes(10));
            listener.security().requireServerFiles(true);
        }

        /**
         * Returns the defaults.
         *
         * @param address the address to bind
         * @param listens whether to listen at all
         * @return the defaults
         */
        public static Settings of(ListenAddress address, boolean listens) {
            return new Settings(
                    address,
                    listens,
                    Math.min(2, Runtime.getRuntime().availableProcessors()),
                    Duration.ofSeconds(2),
                    Limits.of(MemoryBudget.ofHeap(), DEFAULT_FRAME, 16_384, 16_384),
                    Listener.defaults(Duration.ofSeconds(3)));
        }
    }

    /**
     * Creates options.
     *
     * @param settings the groups
     */
    protected PeerTransportOptions(Settings settings) {
        super(settings.listener);
        this.settings = settings;
    }

    /**
     * Returns a copy.
     *
     * @param changed the groups
     * @return new options
     */
    protected abstract T with(Settings changed);

    @Override
    protected final T with(Listener changed) {
        return with(new Settings(
                settings.address,
                settings.listens,
                settings.eventLoops,
                settings.connectTimeout,
                settings.limits,
                changed));
    }

    private T with(Limits changed) {
        return with(new Settings(
                settings.address,
                settings.listens,
                settings.eventLoops,
                settings.connectTimeout,
                changed,
                settings.listener));
    }

    /**
     * Returns a copy with the limits of this budget: the size of frames that hold a largest value, the bytes of frames
     * that are held, and the bytes that wait for a connection to a peer. Of this budget and the single limits, the last
     * one set applies.
     *
     * @param memory the node's, by default that of the heap
     * @return new options
     */
    public T withMemory(MemoryBudget memory) {
        requireNonNull(memory, "memory");
        long frame = Math.max(DEFAULT_FRAME, (long) memory.maxValueBytes() + FRAME_OVERHEAD);
        Limits now = settings.limits;
        return with(Limits.of(memory, (int) Math.min(LARGEST_FRAME, frame), now.maxQueuedPerPeer, now.maxInFlight));
    }

    /**
     * Returns a copy with this number of event loop threads. They serve peers, a public API that shares the port, and
     * the calls to peers.
     *
     * @param threads 1 to 256; by default 2, or 1 on a machine of one core
     * @return new options
     */
    public T withEventLoops(int threads) {
        return with(new Settings(
                settings.address,
                settings.listens,
                threads,
                settings.connectTimeout,
                settings.limits,
                settings.listener));
    }

    /**
     * Returns a copy with this time to connect to a peer. It matters only for machines that do not answer at all: a
     * closed port is detected at once. Over gRPC and TCP a peer that accepts the connection has five times as long for
     * TLS and its first bytes.
     *
     * @param timeout 1 ms to 10 minutes; by default 2 seconds
     * @return new options
     */
    public T withConnectTimeout(Duration timeout) {
        return with(new Settings(
                settings.address, settings.listens, settings.eventLoops, timeout, settings.limits, settings.listener));
    }

    /**
     * Returns a copy with this largest frame. It must be the same on all nodes, and larger than the largest value.
     *
     * @param bytes 1 KiB to 1 GiB, for requests and for replies; by default 17 MiB
     * @return new options
     */
    public T withMaxFrameBytes(int bytes) {
        Limits now = settings.limits;
        return with(new Limits(
                bytes, now.maxQueuedPerPeer, now.maxQueuedBytesPerPeer, now.maxInFlight, now.maxInFlightBytes));
    }

    /**
     * Returns a copy with this bound on calls that wait for a connection to a peer; over gRPC and TCP, on all
     * unfinished calls to it. Calls beyond it fail at once, as not sent. A higher bound survives longer pauses and
     * costs memory.
     *
     * @param calls 1 to 10,000,000; by default 16,384
     * @return new options
     */
    public T withMaxQueuedPerPeer(int calls) {
        Limits now = settings.limits;
        return with(
                new Limits(now.maxFrameBytes, calls, now.maxQueuedBytesPerPeer, now.maxInFlight, now.maxInFlightBytes));
    }

    /**
     * Returns a copy with this bound on the bytes of unfinished calls to a peer, waiting or sent. Calls beyond it fail
     * at once, as not sent. A single frame of any size passes when no other is in flight. The bound keeps a peer that
     * hangs from holding the memory of its callers.
     *
     * @param bytes 1 or more; by default 256 MiB, or an eighth of the heap if that is less
     * @return new options
     */
    public T withMaxQueuedBytesPerPeer(long bytes) {
        Limits now = settings.limits;
        return with(new Limits(now.maxFrameBytes, now.maxQueuedPerPeer, bytes, now.maxInFlight, now.maxInFlightBytes));
    }

    /**
     * Returns a copy with this bound on the peers' requests in flight. Requests beyond it are refused, and fail at
     * their caller as not sent.
     *
     * @param requests 1 to 10,000,000; by default 16,384
     * @return new options
     */
    public T withMaxInFlight(int requests) {
        Limits now = settings.limits;
        return with(new Limits(
                now.maxFrameBytes, now.maxQueuedPerPeer, now.maxQueuedBytesPerPeer, requests, now.maxInFlightBytes));
    }

    /**
     * Returns a copy with this bound on the bytes of the peers' requests in flight and of the replies that are being
     * written. Requests beyond it are refused, and fail at their caller as not sent.
     *
     * @param bytes at least the largest frame; by default 512 MiB, or a quarter of the heap if that is less (but no
     *     less than the largest frame)
     * @return new options
     */
    public T withMaxInFlightBytes(long bytes) {
        Limits now = settings.limits;
        return with(
                new Limits(now.maxFrameBytes, now.maxQueuedPerPeer, now.maxQueuedBytesPerPeer, now.maxInFlight, bytes));
    }

    /**
     * Returns the address to bind.
     *
     * @return host and port
     */
    public final ListenAddress address() {
        return settings.address;
    }

    /**
     * Returns whether to listen at all.
     *
     * @return false for a member that only calls
     */
    public final boolean listens() {
        return settings.listens;
    }

    /**
     * Returns the number of event loop threads.
     *
     * @return the number
     */
    public final int eventLoops() {
        return settings.eventLoops;
    }

    /**
     * Returns the time to connect to a peer.
     *
     * @return the time
     */
    public final Duration connectTimeout() {
        return settings.connectTimeout;
    }

    /**
     * Returns how long a connection to a peer may stay unused. It is less than the peer's idle timeout, so that this
     * side closes first.
     *
     * @return half of the idle timeout
     */
    public final Duration keepAlive() {
        return settings.listener.idleTimeout().dividedBy(2);
    }

    /**
     * Returns how much is held for peers.
     *
     * @return the limits
     */
    public final Limits limits() {
        return settings.limits;
    }

    /**
     * Returns all groups of these options.
     *
     * @return the groups
     */
    protected final Settings settings() {
        return settings;
    }
}
