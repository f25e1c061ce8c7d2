package io.dht4j.benchmarks.target;

import java.util.List;

/**
 * Which public API to drive, and how. Travels as JSON.
 *
 * @param api which one
 * @param addresses {@code HOST:PORT} of each node's API; requests go to them in turn; at least one
 * @param connections to each node: over HTTP/1.1 as many requests are under way to it at a time, the others wait; over
 *     gRPC any number of calls share one; 1 to 4096
 * @param eventLoops threads that read and write, over all connections; 1 to 64
 * @param ack how many replicas must answer, 1 to {@code from}
 * @param from of how many; 1 to 1000, or this and {@code ack} 0 for what the cluster does by itself
 * @param timeoutMillis how long an operation may take; 1 to 600,000
 * @param valueBytes size of a value; 0 to {@link Values#MAX_BYTES}
 */
public record TargetSpec(
        Api api,
        List<String> addresses,
        int connections,
        int eventLoops,
        int ack,
        int from,
        int timeoutMillis,
        int valueBytes) {

    private static final int HTTP_CONNECTIONS = 64;
    private static final int GRPC_CONNECTIONS = 2;
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final int VALUE_BYTES = 100;

    /** A public API. */
    public enum Api {
        /** HTTP/1.1 without pipelining. */
        HTTP,
        /** gRPC. */
        GRPC
    }

    /** Checks the ranges, and keeps an unmodifiable copy. */
    public TargetSpec {
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
        require(
                valueBytes >= 0 && valueBytes <= Values.MAX_BYTES,
                "value",
                valueBytes,
                "0 to " + Values.MAX_BYTES + " bytes");
    }

    /**
     * The HTTP API by 64 connections to each node, with a timeout of 10 seconds and values of 100 bytes.
     *
     * @param addresses {@code HOST:PORT} of each node
     */
    public static TargetSpec http(List<String> addresses) {
        return new TargetSpec(Api.HTTP, addresses, HTTP_CONNECTIONS, 1, 0, 0, TIMEOUT_MILLIS, VALUE_BYTES);
    }

    /**
     * The gRPC API by two connections to each node, with a timeout of 10 seconds and values of 100 bytes.
     *
     * @param addresses {@code HOST:PORT} of each node
     */
    public static TargetSpec grpc(List<String> addresses) {
        return new TargetSpec(Api.GRPC, addresses, GRPC_CONNECTIONS, 1, 0, 0, TIMEOUT_MILLIS, VALUE_BYTES);
    }

    /**
     * The same with another number of connections.
     *
     * @param toEach 1 to 4096
     * @param loops threads for them, 1 to 64
     */
    public TargetSpec withConnections(int toEach, int loops) {
        return new TargetSpec(api, addresses, toEach, loops, ack, from, timeoutMillis, valueBytes);
    }

    /**
     * The same with a policy.
     *
     * @param replicas that must answer, 1 to {@code of}
     * @param of how many, 1 to 1000; both 0 for what the cluster does by itself
     */
    public TargetSpec withPolicy(int replicas, int of) {
        return new TargetSpec(api, addresses, connections, eventLoops, replicas, of, timeoutMillis, valueBytes);
    }

    /**
     * The same with another timeout.
     *
     * @param millis 1 to 600,000
     */
    public TargetSpec withTimeoutMillis(int millis) {
        return new TargetSpec(api, addresses, connections, eventLoops, ack, from, millis, valueBytes);
    }

    /**
     * The same with another size of values.
     *
     * @param bytes 0 to {@link Values#MAX_BYTES}
     */
    public TargetSpec withValueBytes(int bytes) {
        return new TargetSpec(api, addresses, connections, eventLoops, ack, from, timeoutMillis, bytes);
    }

    private static boolean isAddress(String address) {
        int colon = address.lastIndexOf(':');
        return colon > 0 && address.substring(colon + 1).matches("[0-9]{1,5}");
    }

    private static void require(boolean holds, String what, Object value, String range) {
        if (!holds) {
            throw new IllegalArgumentException(what + " of a target: " + value + " is not " + range);
        }
    }
}
