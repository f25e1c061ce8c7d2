package io.dht4j.core.internal.coordinator.atomic;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps, for each register, the ballot that a majority promised together with its last accept. The next round of such a
 * register begins with the accept, as its state is known: the <em>1RTT optimization</em> of the paper that
 * {@link Round} follows. A ballot is used once, so a lead is taken from here. The least recently used are dropped,
 * which costs the next operation on the key a round trip. Safe for use by any number of threads.
 */
final class Leads {

    /** Roughly the heap that a lead takes besides its key and value. */
    private static final long BYTES_EACH = 250;

    private final long maxBytes;

    // Guarded by this. In the order of their last use.
    private final Map<Key, Lead> leads = new LinkedHashMap<>();
    private long bytes;

    /**
     * What the next round of a register begins with.
     *
     * @param ballot its ballot
     * @param accepted the chosen state
     * @param rowVersion the version of the row that has accepted and promised
     */
    record Lead(Version ballot, Entry accepted, long rowVersion) {

        Key key() {
            return accepted.key();
        }

        private long bytes() {
            return BYTES_EACH + key().length() + accepted.value().length;
        }
    }

    /**
     * Creates an object without leads.
     *
     * @param maxBytes roughly the heap for them
     */
    Leads(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    synchronized void put(Lead lead) {
        take(lead.key());
        leads.put(lead.key(), lead);
        bytes += lead.bytes();
        Iterator<Lead> oldest = leads.values().iterator();
        while (bytes > maxBytes) {
            bytes -= oldest.next().bytes();
            oldest.remove();
        }
    }

    synchronized Optional<Lead> take(Key key) {
        Optional<Lead> taken = Optional.ofNullable(leads.remove(key));
        bytes -= taken.map(Lead::bytes).orElse(0L);
        return taken;
    }

    /** Drops the lead that has a ballot: a proposer with a higher one has refused it. */
    synchronized void drop(Key key, Version ballot) {
        Lead lead = leads.get(key);
        if (lead != null && lead.ballot().equals(ballot)) {
            take(key);
        }
    }
}
