package io.dht4j.transport.grpc.internal;

import io.grpc.ManagedChannel;
import java.util.Optional;

/**
 * Refuses a gRPC version on the class path that this module cannot run on: the Netty inside it must be 4.2, with event
 * loops that older ones lack. This class uses no API that older versions lack.
 */
public final class GrpcVersions {

    /** The version that this module was built with. */
    static final String BUILT_WITH = "1.85.1";

    private static final String EVENT_LOOPS = "io/grpc/netty/shaded/io/netty/channel/MultiThreadIoEventLoopGroup.class";

    private GrpcVersions() {}

    /**
     * Checks the gRPC on the class path.
     *
     * @throws IllegalStateException if it is too old; the message names its version and the remedy
     */
    public static void check() {
        check(
                ManagedChannel.class.getClassLoader(),
                Optional.ofNullable(ManagedChannel.class.getPackage().getImplementationVersion()));
    }

    static void check(ClassLoader loader, Optional<String> version) {
        if (loader.getResource(EVENT_LOOPS) == null) {
            throw new IllegalStateException("grpc-netty-shaded on the class path is "
                    + version.orElse("missing or of an unknown version") + ", but must be " + BUILT_WITH
                    + " or later: import io.grpc:grpc-bom " + BUILT_WITH
                    + ", or io.dht4j:dht-bom, before the BOM that chooses it");
        }
    }
}
