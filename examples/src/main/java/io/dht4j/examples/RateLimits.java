package io.dht4j.examples;

import io.dht4j.AtomicMap;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Codec;
import io.dht4j.Version;
import io.dht4j.Versioned;
import io.github.bucket4j.distributed.proxy.ClientSideConfig;
import io.github.bucket4j.distributed.proxy.generic.compare_and_swap.AbstractCompareAndSwapBasedProxyManager;
import io.github.bucket4j.distributed.proxy.generic.compare_and_swap.AsyncCompareAndSwapOperation;
import io.github.bucket4j.distributed.proxy.generic.compare_and_swap.CompareAndSwapOperation;
import io.github.bucket4j.distributed.remote.RemoteBucketState;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Buckets of Bucket4j that all processes of a cluster share, by compare and swap of atomic keys. */
public final class RateLimits extends AbstractCompareAndSwapBasedProxyManager<String> {

    private final AtomicMap.Sync<String, byte[]> buckets;

    /** Creates the buckets of a cluster. One that is not used for a day is full again. */
    public RateLimits(Cluster cluster) {
        super(ClientSideConfig.getDefault());
        this.buckets = cluster.atomicMap("buckets", Codec.text(), Codec.bytes())
                .with(CallOptions.defaults().withTimeToLive(Duration.ofDays(1)))
                .sync();
    }

    @Override
    protected CompareAndSwapOperation beginCompareAndSwapOperation(String key) {
        return new CompareAndSwapOperation() {
            private Optional<Version> read = Optional.empty();

            @Override
            public Optional<byte[]> getStateData(Optional<Long> timeoutNanos) {
                Optional<Versioned<byte[]>> state = buckets.get(key);
                read = state.map(Versioned::version);
                return state.map(Versioned::value);
            }

            @Override
            public boolean compareAndSwap(
                    byte[] original, byte[] changed, RemoteBucketState state, Optional<Long> timeoutNanos) {
                return (read.isPresent()
                                ? buckets.replace(key, read.get(), changed)
                                : buckets.putIfAbsent(key, changed))
                        .isDone();
            }
        };
    }

    @Override
    public void removeProxy(String key) {
        buckets.remove(key);
    }

    @Override
    public boolean isAsyncModeSupported() {
        return false;
    }

    @Override
    protected AsyncCompareAndSwapOperation beginAsyncCompareAndSwapOperation(String key) {
        throw new UnsupportedOperationException("these buckets wait for their results");
    }

    @Override
    protected CompletableFuture<Void> removeAsync(String key) {
        throw new UnsupportedOperationException("these buckets wait for their results");
    }
}
