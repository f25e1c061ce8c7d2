package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.core.internal.wire.FrameCodec;
import io.dht4j.spi.Entry;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** Cuts what goes to a node into as many requests as its size asks for. */
public final class EntryGroups {

    private EntryGroups() {}

    /**
     * Hands over the parts of a list, in order.
     *
     * @param items more than none
     * @param entry what of an item is sent
     * @param maxBytes how many bytes a part may have; an entry that is larger is a part of its own
     * @param send takes each part, a view of the list
     */
    public static <T> void split(List<T> items, Function<T, Entry> entry, int maxBytes, Consumer<List<T>> send) {
        int begin = 0;
        long bytes = 0;
        for (int i = 0; i < items.size(); i++) {
            int size = FrameCodec.encodedSize(entry.apply(items.get(i)));
            if (i - begin == FrameCodec.MAX_ITEMS || (bytes > 0 && bytes + size > maxBytes)) {
                send.accept(items.subList(begin, i));
                begin = i;
                bytes = 0;
            }
            bytes += size;
        }
        send.accept(items.subList(begin, items.size()));
    }
}
