package io.dht4j.transport.grpc.internal.wire;

/** The numbers of bytes that both ends of a connection allow in flight. */
public final class FlowControl {

    /**
     * The flow-control window of one connection and of one call, in bytes: enough for a link of 10 Gbit/s with 1.6 ms.
     */
    public static final int WINDOW = 2 << 20;

    /** The number of unwritten bytes that gRPC accepts: enough to keep a connection busy. */
    public static final int READY_THRESHOLD = 256 * 1024;

    private FlowControl() {}
}
