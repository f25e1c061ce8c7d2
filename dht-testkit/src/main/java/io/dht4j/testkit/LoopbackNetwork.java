package io.dht4j.testkit;

import io.dht4j.spi.Environment;
import io.dht4j.spi.Transport;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A network inside one process: transports that hand their frames to one another, found by address. Requests run on an
 * executor, replies complete on whichever thread has them; nothing is copied and nothing is lost. Made to be quick, so
 * that a benchmark over it measures the rest. Works under virtual time. Safe for use by any number of threads, as far
 * as the environment is.
 */
public final class LoopbackNetwork {

    /** How many calls of one transport may be under way, unless said otherwise. */
    public static final int DEFAULT_MAX_IN_FLIGHT = 65_536;

    /** The largest frame, unless said otherwise: a value of 16 MiB and what goes with it. */
    public static final int DEFAULT_MAX_FRAME_BYTES = 17 << 20;

    final Environment environment;
    final Executor executor;
    final int maxInFlight;
    final int maxFrameBytes;
    private final ConcurrentHashMap<String, LoopbackTransport> listening = new ConcurrentHashMap<>();

    private LoopbackNetwork(Environment environment, Executor executor, int maxInFlight, int maxFrameBytes) {
        if (maxInFlight < 1) {
            throw new IllegalArgumentException("maxInFlight must be 1 or more, not " + maxInFlight);
        }
        if (maxFrameBytes < 1) {
            throw new IllegalArgumentException("maxFrameBytes must be 1 or more, not " + maxFrameBytes);
        }
        this.environment = environment;
        this.executor = executor;
        this.maxInFlight = maxInFlight;
        this.maxFrameBytes = maxFrameBytes;
    }

    /**
     * A network whose requests run on the environment's executor.
     *
     * @param environment clock and timers for deadlines, and the executor; not closed by the network
     * @return a network without transports
     */
    public static LoopbackNetwork on(Environment environment) {
        return on(environment, environment.executor());
    }

    /**
     * A network whose requests run on an executor.
     *
     * @param environment clock and timers for deadlines; not closed by the network
     * @param executor runs request handlers. One that runs tasks on the caller's thread is the quickest, and lets the
     *     stack grow with every call that a reply leads to
     * @return a network without transports
     */
    public static LoopbackNetwork on(Environment environment, Executor executor) {
        return new LoopbackNetwork(environment, executor, DEFAULT_MAX_IN_FLIGHT, DEFAULT_MAX_FRAME_BYTES);
    }

    /**
     * A network of its own, without transports, with another bound for calls under way.
     *
     * @param calls per calling transport, 1 or more; calls beyond it fail at once
     * @return a new network
     * @throws IllegalArgumentException if it is out of range
     */
    public LoopbackNetwork withMaxInFlight(int calls) {
        return new LoopbackNetwork(environment, executor, calls, maxFrameBytes);
    }

    /**
     * A network of its own, without transports, with another largest frame.
     *
     * @param bytes for requests and replies, 1 or more; a larger request fails at once, a larger reply too
     * @return a new network
     * @throws IllegalArgumentException if it is out of range
     */
    public LoopbackNetwork withMaxFrameBytes(int bytes) {
        return new LoopbackNetwork(environment, executor, maxInFlight, bytes);
    }

    /**
     * A transport of this network. Until it is started, and once it is closed, calls to its address fail as not sent.
     * Starting fails while another one listens at the address.
     *
     * @param address any text, as in {@link io.dht4j.Node#address()}
     * @return a new transport
     */
    public Transport transport(String address) {
        return new LoopbackTransport(this, address);
    }

    boolean listen(String address, LoopbackTransport transport) {
        return listening.putIfAbsent(address, transport) == null;
    }

    @Nullable
    LoopbackTransport find(String address) {
        return listening.get(address);
    }

    /** Nobody finds the transport from now on, and its peers lose the calls that it has not answered. */
    void leave(String address, LoopbackTransport transport) {
        if (listening.remove(address, transport)) {
            listening.values().forEach(peer -> peer.failCallsTo(transport));
        }
    }
}
