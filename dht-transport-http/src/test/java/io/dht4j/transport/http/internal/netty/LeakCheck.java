package io.dht4j.transport.http.internal.netty;

import io.dht4j.transport.common.leaks.BufferLeakCheck;
import io.dht4j.transport.http.internal.vertx.VertxPipelinedTransportTest;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Set;

/** Watches the buffers of Netty. Registered for all tests of the modules of HTTP. */
public final class LeakCheck extends BufferLeakCheck {

    /**
     * Vert.x's server forgets to release the requests that wait behind another when their connection closes. The other
     * class leaks on purpose.
     */
    private static final Set<Class<?>> IGNORED = Set.of(VertxPipelinedTransportTest.class, LeakCheckTest.class);

    public LeakCheck() {
        super("io.netty.util.ResourceLeakDetector");
    }

    @Override
    protected void allocateAndRelease() {
        PooledByteBufAllocator.DEFAULT.buffer(16).release();
    }

    @Override
    protected boolean ignores(Class<?> test) {
        return IGNORED.contains(test);
    }
}
