package io.dht4j.benchmarks.load.client;

import io.dht4j.lab.workload.ValueSizes;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Describes the client of a public API. Its wire form is JSON.
 *
 * @param api the API
 * @param addresses {@code HOST:PORT} of each node's API, used round-robin; at least one
 * @param connections to each node, 1 to 4096; over HTTP/1.1 they bound the requests in flight, over gRPC any number of
 *     calls share one
 * @param eventLoops threads that read and write for all connections; 1 to 64
 * @param ack number of replicas that must answer, 1 to {@code from}
 * @param from of how many, 1 to 1000; with {@code ack} both 0 for the cluster's default
 * @param timeoutMillis timeout of an operation; 1 to 600,000
 * @param valueSizes sizes of values, in a form of {@link ValueSizes#parse}; at most {@link Values#MAX_BYTES}
 * @param keyPrefix the prefix of every key: at most 64 letters, digits, points, hyphens and underscores
 * @param access TLS and token
 */
public record ClientSpec(
        Api api,
        List<String> addresses,
        int connections,
        int eventLoops,
        int ack,
        int from,
        int timeoutMillis,
        String valueSizes,
        String keyPrefix,
        ApiAccess access) {

    private static final int HTTP_CONNECTIONS = 64;
    private static final int GRPC_CONNECTIONS = 2;
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final String VALUE_BYTES = "100";

    private static final Pattern KEY_PREFIX = Pattern.compile("[A-Za-z0-9._-]{0,64}");

    /** A public API. */
    public enum Api {
        /** HTTP/1.1 without pipelining. */
        HTTP,
        /** gRPC. */
        GRPC,
        /** The cluster of the process that runs the load, without a wire; the addresses only name the nodes. */
        EMBEDDED
    }

    /** Validates the ranges, and keeps an unmodifiable copy. */
    public ClientSpec {
        addresses = List.copyOf(addresses);
        require(!addresses.isEmpty(), "addresses", addresses, "one or more");
        for (String address : addresses) {
            require(isAddress(address), "address", address, "HOST:PORT");
        }
        require(connections >= 1 && connections <= 4096, "connections", connections, "1 to 4096");
        require(eventLoops >= 1 && eventLoops <= 64, "event loops", eventLoops, "1 to 64");
        require(from >= 0 && from <= 1000, "from", from, "0 to 1000");
        require(ack <= from && (ack >= 1 || from == 0), "ack", ack, "1 to from, " + from);
        require(timeoutMillis >= 1 && timeoutMillis <= 600_000, "timeout", timeoutMillis, "1 to 600,000 ms");
        int largest = ValueSizes.parse(valueSizes).largest();
        require(largest <= Values.MAX_BYTES, "value", largest, "0 to " + Values.MAX_BYTES + " bytes");
        require(
                KEY_PREFIX.matcher(keyPrefix).matches(),
                "key prefix",
                keyPrefix,
                "at most 64 letters, digits, points, hyphens and underscores");
    }

    /**
     * Describes the HTTP API with 64 connections to each node, a timeout of 10 seconds and values of 100 bytes.
     *
     * @param addresses {@code HOST:PORT} of each node
     */
    public static ClientSpec http(List<String> addresses) {
        return of(Api.HTTP, addresses, HTTP_CONNECTIONS);
    }

    /**
     * Describes the gRPC API with two connections to each node, a timeout of 10 seconds and values of 100 bytes.
     *
     * @param addresses {@code HOST:PORT} of each node
     */
    public static ClientSpec grpc(List<String> addresses) {
        return of(Api.GRPC, addresses, GRPC_CONNECTIONS);
    }

    /**
     * Describes loads within the nodes, with a timeout of 10 seconds and values of 100 bytes.
     *
     * @param addresses {@code HOST:PORT} of each node
     */
    public static ClientSpec embedded(List<String> addresses) {
        return of(Api.EMBEDDED, addresses, 1);
    }

    private static ClientSpec of(Api api, List<String> addresses, int connections) {
        return new ClientSpec(
                api, addresses, connections, 1, 0, 0, TIMEOUT_MILLIS, VALUE_BYTES, "", ApiAccess.ofOwnNodes());
    }

    /**
     * Returns a copy with another number of connections.
     *
     * @param toEach 1 to 4096
     * @param loops threads for them, 1 to 64
     */
    public ClientSpec withConnections(int toEach, int loops) {
        return new ClientSpec(api, addresses, toEach, loops, ack, from, timeoutMillis, valueSizes, keyPrefix, access);
    }

    /**
     * Returns a copy with a policy.
     *
     * @param replicas that must answer, 1 to {@code of}
     * @param of of how many, 1 to 1000; both 0 for the cluster's default
     */
    public ClientSpec withPolicy(int replicas, int of) {
        return new ClientSpec(
                api, addresses, connections, eventLoops, replicas, of, timeoutMillis, valueSizes, keyPrefix, access);
    }

    /**
     * Returns a copy with another timeout.
     *
     * @param millis 1 to 600,000
     */
    public ClientSpec withTimeoutMillis(int millis) {
        return new ClientSpec(
                api, addresses, connections, eventLoops, ack, from, millis, valueSizes, keyPrefix, access);
    }

    /**
     * Returns a copy with another size of values.
     *
     * @param bytes 0 to {@link Values#MAX_BYTES}
     */
    public ClientSpec withValueBytes(int bytes) {
        return withValueSizes(new ValueSizes.Fixed(bytes));
    }

    /**
     * Returns a copy with other sizes of values.
     *
     * @param sizes at most {@link Values#MAX_BYTES}
     */
    public ClientSpec withValueSizes(ValueSizes sizes) {
        return new ClientSpec(
                api, addresses, connections, eventLoops, ack, from, timeoutMillis, sizes.toString(), keyPrefix, access);
    }

    /**
     * Returns a copy with another prefix of all keys.
     *
     * @param prefix at most 64 letters, digits, points, hyphens and underscores
     */
    public ClientSpec withKeyPrefix(String prefix) {
        return new ClientSpec(
                api, addresses, connections, eventLoops, ack, from, timeoutMillis, valueSizes, prefix, access);
    }

    /**
     * Returns a copy with other credentials.
     *
     * @param other TLS and token
     */
    public ClientSpec withAccess(ApiAccess other) {
        return new ClientSpec(
                api, addresses, connections, eventLoops, ack, from, timeoutMillis, valueSizes, keyPrefix, other);
    }

    private static boolean isAddress(String address) {
        int colon = address.lastIndexOf(':');
        return colon > 0 && address.substring(colon + 1).matches("[0-9]{1,5}");
    }

    private static void require(boolean holds, String what, Object value, String range) {
        if (!holds) {
            throw new IllegalArgumentException(what + " of a client: " + value + " is not " + range);
        }
    }
}
