package io.dht4j.core.internal.wire;

import io.dht4j.Version;
import io.dht4j.spi.Entry;

/** What a replica knows of one key. */
public sealed interface Answer {

    /** The replica has nothing for the key. */
    record Absent() implements Answer {}

    /**
     * The replica's entry, value included.
     *
     * @param entry a value or a tombstone
     */
    record Whole(Entry entry) implements Answer {}

    /**
     * The replica has a value that is too large to come along.
     *
     * @param version the value's version
     * @param valueBytes the value's size
     * @param digest the {@linkplain Entry#digest() digest} of the entry, which tells two values of one version apart
     */
    record VersionOnly(Version version, int valueBytes, int digest) implements Answer {}
}
