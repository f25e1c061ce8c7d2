package io.dht4j.transport.http;

import io.dht4j.transport.http.internal.server.HttpListener;
import io.dht4j.transport.http.internal.server.HttpTransportServer;

/** Shows tests of other packages what a transport listens with. */
public final class TransportInternals {

    private TransportInternals() {}

    public static HttpListener listener(HttpTransport transport) {
        return transport.listener();
    }

    /** Returns the endpoint of a transport that has started and listens. */
    public static HttpTransportServer server(HttpTransport transport) {
        HttpTransportServer server = transport.server();
        if (server == null) {
            throw new AssertionError("expected a transport that listens");
        }
        return server;
    }
}
