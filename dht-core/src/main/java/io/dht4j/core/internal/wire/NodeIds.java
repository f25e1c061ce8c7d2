package io.dht4j.core.internal.wire;

import io.dht4j.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the names in most frames, which saves their creation for each frame. Immutable; safe for use by any number
 * of threads.
 */
public final class NodeIds {

    // Open addressing: a name is at the first free place from its hash on.
    private final @Nullable NodeId[] table;

    /**
     * Creates a cache of names.
     *
     * @param ids the nodes of the cluster and other callers
     */
    public NodeIds(Collection<NodeId> ids) {
        table = new NodeId[Integer.highestOneBit(2 * ids.size() + 1) * 2];
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
    NodeId find(byte[] bytes, int from, int length) {
        for (int place = place(bytes, from, length); ; place = next(place)) {
            NodeId id = table[place];
            if (id == null) {
                return new NodeId(new String(bytes, from, length, StandardCharsets.ISO_8859_1));
            }
            if (isNamed(id.value(), bytes, from, length)) {
                return id;
            }
        }
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
        int hash = 0;
        for (int i = from; i < from + length; i++) {
            hash = 31 * hash + bytes[i];
        }
        return hash & (table.length - 1);
    }

    private int next(int place) {
        return (place + 1) & (table.length - 1);
    }
}
