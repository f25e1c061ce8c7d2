package io.dht4j.core.internal.repair.purge;

import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Stores watermarks in the store's metadata: arrays of numbers, one number for each partition. Methods block; safe for
 * use by any number of threads.
 */
final class PurgeWatermarkFile {

    private final Store store;

    PurgeWatermarkFile(Store store) {
        this.store = store;
    }

    /**
     * Fills arrays with the stored numbers; leaves them unchanged if nothing is stored.
     *
     * @throws StoreException if the metadata cannot be read, or its size does not fit
     */
    void load(String name, long[]... numbers) {
        Optional<byte[]> note = store.note(name);
        if (note.isEmpty()) {
            return;
        }
        ByteBuffer in = ByteBuffer.wrap(note.get());
        if (in.remaining() != numbers.length * Long.BYTES * numbers[0].length) {
            throw new StoreException("the store's note '" + name + "' has " + in.remaining() + " bytes, which are not "
                    + numbers[0].length
                    + " partitions; it is damaged, or was written for another number of partitions");
        }
        for (long[] each : numbers) {
            for (int i = 0; i < each.length; i++) {
                each[i] = in.getLong();
            }
        }
    }

    /**
     * Stores numbers in place of the previous ones. They are on the disk when this returns.
     *
     * @throws StoreException if they cannot be stored
     */
    void keep(String name, long[]... numbers) {
        ByteBuffer out = ByteBuffer.allocate(numbers.length * Long.BYTES * numbers[0].length);
        for (long[] each : numbers) {
            for (long number : each) {
                out.putLong(number);
            }
        }
        store.keepNote(name, out.array());
    }
}
