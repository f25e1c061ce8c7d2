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
 */
public record MemberSpec(
        Product product, int index, List<Integer> ports, int copies, int readCopies, int valueBytes, String directory) {

    /** Validates the ranges, and keeps an unmodifiable copy. */
    public MemberSpec {
        ports = List.copyOf(ports);
        require(!ports.isEmpty(), "ports", ports, "one or more");
        require(index >= 0 && index < ports.size(), "index", index, "0 to " + (ports.size() - 1));
        require(copies >= 1 && copies <= ports.size(), "copies", copies, "1 to " + ports.size());
        require(readCopies >= 1 && readCopies <= copies, "copies to read", readCopies, "1 to " + copies);
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
