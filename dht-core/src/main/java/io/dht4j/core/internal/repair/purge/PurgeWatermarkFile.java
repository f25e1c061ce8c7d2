package io.dht4j.core.internal.repair.purge;

import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The watermarks in the store's metadata: arrays of numbers, one number for each partition. Methods block; safe for use
 * by any number of threads.
 */
final class PurgeWatermarkFile {

    /** The fence watermarks, then the purge watermarks. A name on disk. */
    private static final String WATERMARKS = "fence";
    /** The rolled-back partitions. A name on disk. */
    private static final String ROLLBACKS = "set-back";

    private final Store store;

    PurgeWatermarkFile(Store store) {
        this.store = store;
    }

    /**
     * Fills arrays with the stored watermarks; leaves them unchanged if none are stored.
     *
     * @throws StoreException if the metadata cannot be read, or its size does not fit
     */
    void load(long[] fences, long[] purges, long[] rollbacks) {
        load(WATERMARKS, fences, purges);
        load(ROLLBACKS, rollbacks);
    }

    private void load(String name, long[]... numbers) {
        Optional<byte[]> metadata = store.note(name);
        if (metadata.isEmpty()) {
            return;
        }
        ByteBuffer in = ByteBuffer.wrap(metadata.get());
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
     * Stores the watermarks in place of the previous ones. They are on the disk when this returns.
     *
     * @throws StoreException if they cannot be stored
     */
    void writeWatermarks(long[] fences, long[] purges) {
        write(WATERMARKS, fences, purges);
    }

    /**
     * Stores the rolled-back partitions in place of the previous ones. They are on the disk when this returns.
     *
     * @throws StoreException if they cannot be stored
     */
    void writeRollbacks(long[] rollbacks) {
        write(ROLLBACKS, rollbacks);
    }

    private void write(String name, long[]... numbers) {
        ByteBuffer out = ByteBuffer.allocate(numbers.length * Long.BYTES * numbers[0].length);
        for (long[] each : numbers) {
            for (long number : each) {
                out.putLong(number);
            }
        }
        store.keepNote(name, out.array());
    }
}
