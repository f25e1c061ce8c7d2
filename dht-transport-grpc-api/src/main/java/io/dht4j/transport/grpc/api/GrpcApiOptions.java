package io.dht4j.transport.grpc.api;

import io.dht4j.Ranges;
import io.dht4j.transport.common.options.PublicApiOptions;

/**
 * The options of the public gRPC API: limits, access and the patience with its clients. Immutable. Every {@code with}
 * method returns a copy, and throws an {@link IllegalArgumentException} that names option, value and allowed range.
 */
public final class GrpcApiOptions extends PublicApiOptions<GrpcApiOptions> {

    private static final GrpcApiOptions DEFAULTS = new GrpcApiOptions(
            Settings.defaults(), Math.min(8, Runtime.getRuntime().availableProcessors()));

    private final int eventLoops;

    private GrpcApiOptions(Settings settings, int eventLoops) {
        super(settings);
        Ranges.require("eventLoops", eventLoops, 1, 1024);
        this.eventLoops = eventLoops;
    }

    /**
     * Returns the defaults: values up to 16 MiB; batches up to 10,000 keys and 32 MiB; 4096 calls and a share of the
     * heap in flight; 10,000 connections; 30 seconds for a client to send or receive; 60 seconds of silence; 5 seconds
     * for draining; neither tokens nor TLS.
     *
     * @return the defaults
     */
    public static GrpcApiOptions defaults() {
        return DEFAULTS;
    }

    @Override
    protected GrpcApiOptions with(Settings changed) {
        return new GrpcApiOptions(changed, eventLoops);
    }

    /**
     * Returns a copy with this number of threads that read and write.
     *
     * @param threads 1 to 1024; by default the number of processors, at most 8
     * @return new options
     */
    public GrpcApiOptions withEventLoops(int threads) {
        return new GrpcApiOptions(settings(), threads);
    }

    int eventLoops() {
        return eventLoops;
    }
}
