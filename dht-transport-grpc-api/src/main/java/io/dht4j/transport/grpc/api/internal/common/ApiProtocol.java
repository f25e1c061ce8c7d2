package io.dht4j.transport.grpc.api.internal.common;

import io.grpc.Metadata;

/** The names on which both ends of the public API agree. */
public final class ApiProtocol {

    /** The metadata with the token of a call, as {@code Bearer} and the token. */
    public static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    /** The metadata that identifies the span of the caller. */
    public static final Metadata.Key<String> TRACE_PARENT =
            Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);

    /** The metadata with data of tracing systems. */
    public static final Metadata.Key<String> TRACE_STATE =
            Metadata.Key.of("tracestate", Metadata.ASCII_STRING_MARSHALLER);

    /** The metadata with the value {@code true} in the answers of a node that is about to stop. */
    public static final Metadata.Key<String> STOPPING =
            Metadata.Key.of("dht-stopping", Metadata.ASCII_STRING_MARSHALLER);

    private ApiProtocol() {}
}
