package io.dht4j.benchmarks.load.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Optional;

/**
 * The address of a node's HTTP API, and the form of its requests.
 *
 * @param host name or number
 * @param port 0 to 65535
 * @param policy appended to the target: empty, or the parameters of the policy
 * @param authorization header of every request
 */
record HttpAddress(String host, int port, String policy, Optional<String> authorization) {

    /** Parses an address that the specification has validated. */
    static HttpAddress of(String address, ClientSpec spec, Optional<String> token) {
        int colon = address.lastIndexOf(':');
        return new HttpAddress(
                address.substring(0, colon),
                Integer.parseInt(address.substring(colon + 1)),
                spec.from() == 0 ? "" : "&ack=" + spec.ack() + "&from=" + spec.from(),
                token.map(secret -> "Bearer " + secret));
    }

    /** Returns the request of an operation. */
    FullHttpRequest request(HttpOperation operation) {
        ByteBuf body = operation.isPut() ? Unpooled.wrappedBuffer(operation.value()) : Unpooled.EMPTY_BUFFER;
        FullHttpRequest request =
                new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, operation.method(), operation.target() + policy, body);
        request.headers().set(HttpHeaderNames.HOST, host + ":" + port);
        authorization.ifPresent(header -> request.headers().set(HttpHeaderNames.AUTHORIZATION, header));
        if (operation.isPut()) {
            request.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, operation.value().length);
        }
        return request;
    }
}
