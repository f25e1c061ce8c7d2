package io.dht4j.benchmarks.load.client;

import io.dht4j.lab.internal.load.Operation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;

/**
 * The address of a node's HTTP API, and the form of its requests.
 *
 * @param host name or number
 * @param port 0 to 65535
 * @param policy appended to the key: empty, or the parameters of the policy
 */
record HttpAddress(String host, int port, String policy) {

    private static final String ENTITY = "/v0/entity?id=";

    /** Parses an address that the specification has validated. */
    static HttpAddress of(String address, ClientSpec spec) {
        int colon = address.lastIndexOf(':');
        return new HttpAddress(
                address.substring(0, colon),
                Integer.parseInt(address.substring(colon + 1)),
                spec.from() == 0 ? "" : "&ack=" + spec.ack() + "&from=" + spec.from());
    }

    /**
     * A request.
     *
     * @param value the value of a put
     */
    FullHttpRequest request(Operation operation, long key, byte[] value) {
        HttpMethod method = switch (operation) {
            case PUT -> HttpMethod.PUT;
            case GET -> HttpMethod.GET;
        };
        ByteBuf body = operation == Operation.PUT ? Unpooled.wrappedBuffer(value) : Unpooled.EMPTY_BUFFER;
        FullHttpRequest request =
                new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, method, ENTITY + KeyNames.of(key) + policy, body);
        request.headers().set(HttpHeaderNames.HOST, host + ":" + port);
        if (operation == Operation.PUT) {
            request.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, value.length);
        }
        return request;
    }
}
