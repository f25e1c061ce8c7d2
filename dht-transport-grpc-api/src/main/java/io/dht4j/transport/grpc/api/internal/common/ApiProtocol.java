package io.dht4j.transport.grpc.api.internal.common;

import io.grpc.Metadata;

/** What both ends of the public API have to name alike. */
public final class ApiProtocol {

    /** The metadata with the token of a call, as {@code Bearer} and the token. */
    public static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private ApiProtocol() {}
}
