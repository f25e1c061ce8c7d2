package io.dht4j.transport.grpc;

/** The mode in which a {@link GrpcTransport} sends its calls. Every transport answers both kinds. */
public enum GrpcMode {
    /** One gRPC call for each frame. */
    UNARY,
    /** One long-lived bidirectional stream on each connection. Call numbers identify the frames on it. */
    STREAM
}
