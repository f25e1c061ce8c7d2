package io.dht4j.lab.internal.load;

import io.dht4j.lab.workload.ValueSizes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.HdrHistogram.Histogram;

/**
 * The target of a load: the client of a public API, or an embedded cluster. The methods that begin an operation neither
 * block nor throw. Their stages complete when the operation has succeeded, an absent key included; they fail within the
 * client's own timeout otherwise, with a {@link LoadException} if the failure has a name. Safe for use by any number of
 * threads.
 */
public interface LoadClient extends AutoCloseable {

    /**
     * Begins to read a key.
     *
     * @param key its number, from 0
     */
    CompletionStage<Outcome> get(long key);

    /**
     * Begins to write a value.
     *
     * @param key the number of the key, from 0
     * @param valueBytes size of the value, one of {@link #valueSizes()}
     */
    CompletionStage<Outcome> put(long key, int valueBytes);

    /**
     * Begins to read keys in ascending order of their names. A client without scans, the default, fails it.
     *
     * @param key the number of the first key, from 0
     * @param entries number of keys, 1 or more; fewer if the names end
     * @return as of the others; absent if no key is there
     */
    default CompletionStage<Outcome> scan(long key, int entries) {
        return CompletableFuture.failedFuture(new LoadException("no scans", "this client has no scans"));
    }

    /** Returns the sizes of the values to write. */
    ValueSizes valueSizes();

    /**
     * Returns how long started operations waited for threads of this client. Such a wait is the generator's, not the
     * server's. A client without threads of its own returns an empty result.
     *
     * @return waits since the last call of this method, in nanoseconds; a new instance
     */
    default Histogram takeWaits() {
        return Latency.emptyHistogram();
    }

    /**
     * Returns how long started operations waited for a free connection. Such a wait counts as latency, though the
     * server has not seen the operation yet. A client whose connections carry any number of operations returns an empty
     * result.
     *
     * @return waits since the last call of this method, in nanoseconds, 0 for operations that did not wait; a new
     *     instance
     */
    default Histogram takeConnectionWaits() {
        return Latency.emptyHistogram();
    }

    /** Closes connections; operations in flight fail. Blocks for a bounded time. */
    @Override
    void close();
}
