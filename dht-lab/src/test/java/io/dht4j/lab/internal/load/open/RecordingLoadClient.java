package io.dht4j.lab.internal.load.open;

import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.workload.ValueSizes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;

/** Records its operations, and answers by a script. */
public final class RecordingLoadClient implements LoadClient {

    private final LongFunction<CompletableFuture<Outcome>> answers;
    private final Map<Thread, List<Long>> keys = new HashMap<>();
    private final Map<String, Integer> calls = new HashMap<>();
    private int begun;
    private int underWay;
    private int mostUnderWay;

    /**
     * A client.
     *
     * @param answers the outcome of each operation, by its number from 0
     */
    public RecordingLoadClient(LongFunction<CompletableFuture<Outcome>> answers) {
        this.answers = answers;
    }

    /** Creates a client whose operations succeed at once. */
    public static RecordingLoadClient prompt() {
        return new RecordingLoadClient(number -> CompletableFuture.completedFuture(Outcome.DONE));
    }

    @Override
    public CompletionStage<Outcome> get(long key) {
        return record("get", key);
    }

    @Override
    public CompletionStage<Outcome> put(long key, int valueBytes) {
        return record("put " + valueBytes, key);
    }

    @Override
    public CompletionStage<Outcome> scan(long key, int entries) {
        return record("scan", key);
    }

    @Override
    public ValueSizes valueSizes() {
        return new ValueSizes.Fixed(100);
    }

    private CompletionStage<Outcome> record(String call, long key) {
        CompletableFuture<Outcome> answer;
        synchronized (this) {
            keys.computeIfAbsent(Thread.currentThread(), thread -> new ArrayList<>())
                    .add(key);
            calls.merge(call, 1, Integer::sum);
            answer = answers.apply(begun);
            begun++;
            underWay++;
            mostUnderWay = Math.max(mostUnderWay, underWay);
        }
        return answer.whenComplete((outcome, error) -> ended());
    }

    private synchronized void ended() {
        underWay--;
    }

    public synchronized int begun() {
        return begun;
    }

    public synchronized int underWay() {
        return underWay;
    }

    public synchronized int mostUnderWay() {
        return mostUnderWay;
    }

    /** Returns the number of each call, with the bytes of a put. */
    public synchronized Map<String, Integer> calls() {
        return Map.copyOf(calls);
    }

    /** Returns the keys of each thread, in order. */
    public synchronized List<List<Long>> keysByThread() {
        return keys.values().stream().map(List::copyOf).toList();
    }

    @Override
    public void close() {}
}
