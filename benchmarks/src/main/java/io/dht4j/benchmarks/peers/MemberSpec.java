package io.dht4j.benchmarks.peers;

import java.util.List;

/**
 * One member of a cluster. Travels as JSON.
 *
 * @param product whose
 * @param index which of the members this is, 0 to one less than there are ports
 * @param ports of all members, on loopback
 * @param copies how many members have each entry when a put is acknowledged; 1 to the number of members
 * @param readCopies how many copies a get of this library asks for, 1 to {@code copies}; the others read one
 * @param valueBytes size of a value
 * @param directory where this library keeps the entries durably; empty for in memory, as the others always do
 */
public record MemberSpec(
        Product product, int index, List<Integer> ports, int copies, int readCopies, int valueBytes, String directory) {

    /** Checks the ranges, and keeps an unmodifiable copy. */
    public MemberSpec {
        ports = List.copyOf(ports);
        require(!ports.isEmpty(), "ports", ports, "one or more");
        require(index >= 0 && index < ports.size(), "index", index, "0 to " + (ports.size() - 1));
        require(copies >= 1 && copies <= ports.size(), "copies", copies, "1 to " + ports.size());
        require(readCopies >= 1 && readCopies <= copies, "copies to read", readCopies, "1 to " + copies);
    }

    /** Whether what is acknowledged survives the end of the process. */
    boolean durable() {
        return !directory.isEmpty();
    }

    private static void require(boolean holds, String what, Object value, String range) {
        if (!holds) {
            throw new IllegalArgumentException(what + " of a member: " + value + " is not " + range);
        }
    }
}
