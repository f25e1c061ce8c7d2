package io.dht4j.benchmarks.target;

import io.dht4j.benchmarks.load.Operation;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;

/**
 * Where a node's HTTP API is, and what requests to it look like.
 *
 * @param host name or number
 * @param port 0 to 65535
 * @param policy what stands behind the key: nothing, or the parameters of the policy
 */
record HttpAddress(String host, int port, String policy) {

    private static final String ENTITY = "/v0/entity?id=";

    /** An address that the specification has checked. */
    static HttpAddress of(String address, TargetSpec spec) {
        int colon = address.lastIndexOf(':');
        return new HttpAddress(
                address.substring(0, colon),
                Integer.parseInt(address.substring(colon + 1)),
                spec.from() == 0 ? "" : "&ack=" + spec.ack() + "&from=" + spec.from());
    }

    RequestOptions request(Operation operation, long key) {
        return new RequestOptions()
                .setHost(host)
                .setPort(port)
                .setMethod(
                        switch (operation) {
                            case PUT -> HttpMethod.PUT;
                            case GET -> HttpMethod.GET;
                        })
                .setURI(ENTITY + Names.of(key) + policy);
    }
}
