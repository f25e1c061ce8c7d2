package io.dht4j.testkit.network;

import io.dht4j.spi.Environment;
import io.dht4j.spi.Transport;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A network within one process: transports that exchange frames directly and find each other by address. Requests run
 * on an executor, and replies complete on any thread. Frames are neither copied nor lost. Fast enough that a benchmark
 * over it measures the other parts. Works under virtual time. As safe for several threads as the environment.
 */
public final class LoopbackNetwork {

    /** The default limit of calls in flight from one transport. */
    public static final int DEFAULT_MAX_IN_FLIGHT = 65_536;

    /** The default limit of frames: a value of 16 MiB and its overhead. */
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
     * Creates a network whose requests run on the environment's executor.
     *
     * @param environment clock and timers for deadlines, and the executor; not closed by the network
     * @return a network without transports
     */
    public static LoopbackNetwork on(Environment environment) {
        return on(environment, environment.executor());
    }

    /**
     * Creates a network whose requests run on a given executor.
     *
     * @param environment clock and timers for deadlines; not closed by the network
     * @param executor runs request handlers. An executor that runs tasks on the caller's thread is the fastest, but
     *     deepens the stack with every call that a reply causes
     * @return a network without transports
     */
    public static LoopbackNetwork on(Environment environment, Executor executor) {
        return new LoopbackNetwork(environment, executor, DEFAULT_MAX_IN_FLIGHT, DEFAULT_MAX_FRAME_BYTES);
    }

    /**
     * Creates a network without transports and with another limit of calls in flight.
     *
     * @param calls the limit per calling transport, 1 or more; further calls fail immediately
     * @return a new network
     * @throws IllegalArgumentException if it is out of range
     */
    public LoopbackNetwork withMaxInFlight(int calls) {
        return new LoopbackNetwork(environment, executor, calls, maxFrameBytes);
    }

    /**
     * Creates a network without transports and with another limit of frames.
     *
     * @param bytes the limit of requests and replies, 1 or more; larger requests and replies fail immediately
     * @return a new network
     * @throws IllegalArgumentException if it is out of range
     */
    public LoopbackNetwork withMaxFrameBytes(int bytes) {
        return new LoopbackNetwork(environment, executor, maxInFlight, bytes);
    }

    /**
     * Creates a transport of this network. Before its start and after its end, calls to its address fail as not sent.
     * Its start fails while another transport listens at the address.
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

    /** Removes a transport from the network, and fails its peers' unanswered calls to it. */
    void leave(String address, LoopbackTransport transport) {
        if (listening.remove(address, transport)) {
            listening.values().forEach(peer -> peer.failCallsTo(transport));
        }
    }
}
