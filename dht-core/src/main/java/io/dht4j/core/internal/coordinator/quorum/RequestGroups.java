package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.core.internal.wire.codec.FrameCodec;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/** Splits the items for one node into requests of limited size. */
public final class RequestGroups {

    private RequestGroups() {}

    /**
     * Splits a list, in order.
     *
     * @param items at least one
     * @param bytes returns the encoded size of an item
     * @param maxBytes the maximum number of bytes of a group; an item that is larger is a group of its own
     * @param send receives each group, a view of the list
     * @param <T> the items
     */
    public static <T> void split(List<T> items, ToIntFunction<T> bytes, int maxBytes, Consumer<List<T>> send) {
        int begin = 0;
        long total = 0;
        for (int i = 0; i < items.size(); i++) {
            int size = bytes.applyAsInt(items.get(i));
            if (i - begin == FrameCodec.MAX_ITEMS || (total > 0 && total + size > maxBytes)) {
                send.accept(items.subList(begin, i));
                begin = i;
                total = 0;
            }
            total += size;
        }
        send.accept(items.subList(begin, items.size()));
    }
}
