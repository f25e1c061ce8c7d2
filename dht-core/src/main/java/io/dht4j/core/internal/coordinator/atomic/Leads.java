package io.dht4j.core.internal.coordinator.atomic;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The registers of which a majority has promised this proposer the next ballot when it accepted the last one. Their
 * next round needs no promises: its state is known. A ballot is used once, so a lead is taken from here. The oldest
 * keys are dropped, which costs their next operation a round trip. Safe for use by any number of threads.
 */
final class Leads {

    /** Roughly the heap that a lead takes besides its key and value. */
    private static final long BYTES_EACH = 250;

    private final long maxBytes;

    // Guarded by this.
    /** In the order in which their keys came; a key keeps its place while its lead is in use, without it. */
    private final Map<Key, Optional<Lead>> leads = new LinkedHashMap<>();

    private long bytes;

    /**
     * What the next round of a register begins with.
     *
     * @param ballot its ballot
     * @param accepted the chosen state
     * @param rowVersion the version of the row that has accepted and promised
     */
    record Lead(Version ballot, Entry accepted, long rowVersion) {}

    /**
     * Creates an object without leads.
     *
     * @param maxBytes roughly the heap for them
     */
    Leads(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    synchronized void put(Lead lead) {
        replace(lead.accepted().key(), Optional.of(lead));
        Iterator<Map.Entry<Key, Optional<Lead>>> first = leads.entrySet().iterator();
        while (bytes > maxBytes) {
            Map.Entry<Key, Optional<Lead>> gone = first.next();
            bytes -= bytes(gone.getKey(), gone.getValue());
            first.remove();
        }
    }

    synchronized Optional<Lead> take(Key key) {
        Optional<Lead> taken = leads.getOrDefault(key, Optional.empty());
        if (taken.isPresent()) {
            replace(key, Optional.empty());
        }
        return taken;
    }

    /** Drops the lead that has a ballot, after a replica has refused the one before: it needs the next state whole. */
    synchronized void drop(Key key, Version ballot) {
        leads.getOrDefault(key, Optional.empty())
                .filter(lead -> lead.ballot().equals(ballot))
                .ifPresent(lead -> replace(key, Optional.empty()));
    }

    private void replace(Key key, Optional<Lead> lead) {
        Optional<Lead> before = leads.put(key, lead);
        bytes += bytes(key, lead) - (before == null ? 0 : bytes(key, before));
    }

    private static long bytes(Key key, Optional<Lead> lead) {
        return BYTES_EACH
                + key.length()
                + lead.map(present -> present.accepted().value().length).orElse(0);
    }
}
