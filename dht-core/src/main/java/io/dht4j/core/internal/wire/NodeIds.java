package io.dht4j.core.internal.wire;

import io.dht4j.NodeId;
import io.dht4j.core.internal.view.NodeIdentity;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the node names in frames, and of the numbers and incarnations with them. It saves their creation for each
 * frame. Safe for use by any number of threads.
 */
public final class NodeIds {

    /** Powers of two; enough for changing nodes and growing numbers. */
    private static final int MIN_IDENTITIES = 64;

    private static final int RECENT = 64;

    // Open addressing: a name is at the first free place from its hash on.
    private final @Nullable NodeId[] table;

    /** Other received names, one for each place; bounded, since frames may contain any name. */
    private final AtomicReferenceArray<@Nullable NodeId> recent = new AtomicReferenceArray<>(RECENT);

    /** The last identity of each number, modulo the length; bounded, since frames may contain any number. */
    private final AtomicReferenceArray<@Nullable NodeIdentity> identities;

    /**
     * Creates a cache of names.
     *
     * @param ids the nodes of the cluster and other callers
     */
    public NodeIds(Collection<NodeId> ids) {
        table = new NodeId[Integer.highestOneBit(2 * ids.size() + 1) * 2];
        identities = new AtomicReferenceArray<>(Math.max(MIN_IDENTITIES, table.length));
        for (NodeId id : ids) {
            byte[] name = id.value().getBytes(StandardCharsets.US_ASCII);
            int place = place(name, 0, name.length);
            while (table[place] != null) {
                place = next(place);
            }
            table[place] = id;
        }
    }

    /** Returns the id of a name; a new one if it is not cached. Fails as {@link NodeId} does if the name is invalid. */
    public NodeId find(byte[] bytes, int from, int length) {
        for (int place = place(bytes, from, length); ; place = next(place)) {
            NodeId id = table[place];
            if (id == null) {
                return recent(bytes, from, length);
            }
            if (isNamed(id.value(), bytes, from, length)) {
                return id;
            }
        }
    }

    /** Returns the id of a node that has joined since, or of any other sender. */
    private NodeId recent(byte[] bytes, int from, int length) {
        int place = hash(bytes, from, length) & (RECENT - 1);
        NodeId known = recent.get(place);
        if (known != null && isNamed(known.value(), bytes, from, length)) {
            return known;
        }
        NodeId made = new NodeId(new String(bytes, from, length, StandardCharsets.ISO_8859_1));
        recent.set(place, made);
        return made;
    }

    /** Returns an identity; a new one if it is not cached. */
    public NodeIdentity identity(int number, long most, long least) {
        int place = number & (identities.length() - 1);
        NodeIdentity known = identities.get(place);
        if (known != null
                && known.number() == number
                && known.incarnation().getMostSignificantBits() == most
                && known.incarnation().getLeastSignificantBits() == least) {
            return known;
        }
        NodeIdentity found = new NodeIdentity(number, new UUID(most, least));
        identities.set(place, found);
        return found;
    }

    private static boolean isNamed(String name, byte[] bytes, int from, int length) {
        if (name.length() != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (name.charAt(i) != (bytes[from + i] & 0xFF)) {
                return false;
            }
        }
        return true;
    }

    private int place(byte[] bytes, int from, int length) {
        return hash(bytes, from, length) & (table.length - 1);
    }

    private static int hash(byte[] bytes, int from, int length) {
        int hash = 0;
        for (int i = from; i < from + length; i++) {
            hash = 31 * hash + bytes[i];
        }
        return hash;
    }

    private int next(int place) {
        return (place + 1) & (table.length - 1);
    }
}
