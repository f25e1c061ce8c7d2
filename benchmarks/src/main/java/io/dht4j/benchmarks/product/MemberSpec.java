package io.dht4j.benchmarks.product;

import java.util.List;

/**
 * Describes one member of a cluster. Its wire form is JSON.
 *
 * @param product of the member
 * @param index of the member, from 0
 * @param ports of all members, on loopback
 * @param copies of each entry when a put is acknowledged; 1 to the number of members
 * @param readCopies that a get of this library reads, 1 to {@code copies}; the other products read one
 * @param valueBytes size of a value
 * @param directory of this library's durable store; empty for in memory, as the other products
 * @param transportClass of a {@link io.dht4j.lab.TransportCandidate} for this library; empty for gRPC streams
 * @param jars with that class and its dependencies
 */
public record MemberSpec(
        Product product,
        int index,
        List<Integer> ports,
        int copies,
        int readCopies,
        int valueBytes,
        String directory,
        String transportClass,
        List<String> jars) {

    /** Validates the ranges, and keeps unmodifiable copies. */
    public MemberSpec {
        ports = List.copyOf(ports);
        jars = List.copyOf(jars);
        require(!ports.isEmpty(), "ports", ports, "one or more");
        require(index >= 0 && index < ports.size(), "index", index, "0 to " + (ports.size() - 1));
        require(copies >= 1 && copies <= ports.size(), "copies", copies, "1 to " + ports.size());
        require(readCopies >= 1 && readCopies <= copies, "copies to read", readCopies, "1 to " + copies);
    }

    /**
     * Describes a member in memory; this library's over gRPC streams.
     *
     * @param product of the member
     * @param index of the member, from 0
     * @param ports of all members, on loopback
     * @param copies of each entry when a put is acknowledged
     * @param readCopies that a get of this library reads
     * @param valueBytes size of a value
     */
    public static MemberSpec of(
            Product product, int index, List<Integer> ports, int copies, int readCopies, int valueBytes) {
        return new MemberSpec(product, index, ports, copies, readCopies, valueBytes, "", "", List.of());
    }

    /**
     * Returns a copy with a durable store.
     *
     * @param path of its directory
     */
    public MemberSpec durableIn(String path) {
        return new MemberSpec(product, index, ports, copies, readCopies, valueBytes, path, transportClass, jars);
    }

    /**
     * Returns a copy over a transport of the user's own.
     *
     * @param className of the candidate
     * @param of the jars with that class and its dependencies
     */
    public MemberSpec over(String className, List<String> of) {
        return new MemberSpec(product, index, ports, copies, readCopies, valueBytes, directory, className, of);
    }

    /** Returns whether acknowledged entries survive the end of the process. */
    boolean durable() {
        return !directory.isEmpty();
    }

    private static void require(boolean holds, String what, Object value, String range) {
        if (!holds) {
            throw new IllegalArgumentException(what + " of a member: " + value + " is not " + range);
        }
    }
}
