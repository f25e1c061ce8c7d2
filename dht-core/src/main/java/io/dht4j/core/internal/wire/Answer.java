package io.dht4j.core.internal.wire;

import io.dht4j.Version;
import io.dht4j.spi.Entry;

/** A replica's answer about one key. */
public sealed interface Answer {

    /** The replica has no entry of the key. */
    record Absent() implements Answer {}

    /**
     * The replica's entry, including its value.
     *
     * @param entry a value or a tombstone
     */
    record Whole(Entry entry) implements Answer {}

    /**
     * The version of a value that is too large for the reply.
     *
     * @param version the value's version
     * @param valueBytes the value's size
     * @param digest the {@linkplain Entry#digest() digest} of the entry, which distinguishes two values of one version
     */
    record VersionOnly(Version version, int valueBytes, int digest) implements Answer {}
}
