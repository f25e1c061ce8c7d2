package io.dht4j.transport.grpc;

import io.dht4j.transport.common.leaks.BufferLeakCheck;
import io.grpc.netty.shaded.io.netty.buffer.PooledByteBufAllocator;

/** Watches the buffers of gRPC's copy of Netty. Registered for all tests of the modules of gRPC. */
public final class LeakCheck extends BufferLeakCheck {

    public LeakCheck() {
        super("io.grpc.netty.shaded.io.netty.util.ResourceLeakDetector");
    }

    @Override
    protected void allocateAndRelease() {
        PooledByteBufAllocator.DEFAULT.buffer(16).release();
    }
}
