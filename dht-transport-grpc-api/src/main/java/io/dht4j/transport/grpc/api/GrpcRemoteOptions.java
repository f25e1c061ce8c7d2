package io.dht4j.transport.grpc.api;

import io.dht4j.Ranges;
import io.dht4j.transport.common.options.RemoteApiOptions;

/**
 * The options of a client of the public gRPC API. Immutable. Every {@code with} method returns a copy, and throws an
 * {@link IllegalArgumentException} that names option, value and allowed range. The token appears in no message.
 */
public final class GrpcRemoteOptions extends RemoteApiOptions<GrpcRemoteOptions> {

    private static final GrpcRemoteOptions DEFAULTS = new GrpcRemoteOptions(
            Settings.defaults(), Math.min(4, Runtime.getRuntime().availableProcessors()));

    private final int eventLoops;

    private GrpcRemoteOptions(Settings settings, int eventLoops) {
        super(settings);
        Ranges.require("eventLoops", eventLoops, 1, 1024);
        this.eventLoops = eventLoops;
    }

    /**
     * Returns the defaults. They are the shares of {@link io.dht4j.spi.MemoryBudget#ofHeap()}: up to values of 16 MiB,
     * batches of 64 MiB, 4 MiB of a scan at a time and 256 MiB of requests in flight. Further: 10,000 calls in flight,
     * 2 seconds to connect, neither token nor TLS.
     *
     * @return the defaults
     */
    public static GrpcRemoteOptions defaults() {
        return DEFAULTS;
    }

    @Override
    protected GrpcRemoteOptions with(Settings changed) {
        return new GrpcRemoteOptions(changed, eventLoops);
    }

    /**
     * Returns a copy with this number of threads that read and write.
     *
     * @param threads 1 to 1024; by default the number of processors, at most 4
     * @return new options
     */
    public GrpcRemoteOptions withEventLoops(int threads) {
        return new GrpcRemoteOptions(settings(), threads);
    }

    int eventLoops() {
        return eventLoops;
    }
}
