package io.dht4j.benchmarks.process.node;

import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.workload.ValueSizes;
import java.util.concurrent.CompletionStage;
import org.HdrHistogram.Histogram;

/**
 * One of several clients with keys in common, whose loads insert others: the numbers of inserted keys are interleaved.
 */
final class StripedKeys implements LoadClient {

    private final LoadClient client;
    private final long common;
    private final int index;
    private final int count;

    /**
     * Wraps a client.
     *
     * @param common number of keys in common, which are the first
     * @param index of this client, from 0
     * @param count number of clients
     */
    StripedKeys(LoadClient client, long common, int index, int count) {
        this.client = client;
        this.common = common;
        this.index = index;
        this.count = count;
    }

    private long number(long key) {
        return key < common ? key : common + (key - common) * count + index;
    }

    @Override
    public CompletionStage<Outcome> get(long key) {
        return client.get(number(key));
    }

    @Override
    public CompletionStage<Outcome> put(long key, int valueBytes) {
        return client.put(number(key), valueBytes);
    }

    @Override
    public CompletionStage<Outcome> scan(long key, int entries) {
        return client.scan(number(key), entries);
    }

    @Override
    public ValueSizes valueSizes() {
        return client.valueSizes();
    }

    @Override
    public Histogram takeWaits() {
        return client.takeWaits();
    }

    @Override
    public Histogram takeConnectionWaits() {
        return client.takeConnectionWaits();
    }

    @Override
    public void close() {
        client.close();
    }
}
