package io.dht4j.transport.grpc;

/** How a {@link GrpcTransport} sends its calls. Every transport answers both kinds. */
public enum GrpcMode {
    /** A gRPC call for each frame. */
    UNARY,
    /** A long-lived stream in both directions over each connection, on which frames are told apart by numbers. */
    STREAM
}
