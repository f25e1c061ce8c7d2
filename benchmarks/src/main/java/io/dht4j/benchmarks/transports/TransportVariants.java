package io.dht4j.benchmarks.transports;

import io.dht4j.benchmarks.load.closed.Variant;
import io.dht4j.core.options.Batching;
import io.dht4j.lab.Echo;
import io.dht4j.lab.TransportCandidate;
import io.dht4j.lab.internal.nodes.PutCluster;
import io.dht4j.lab.internal.nodes.ThreeNodes;
import io.dht4j.testkit.network.FreePorts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;

/**
 * The running variants of a comparison of transports. For each transport: {@code R}, echoes of the bare library;
 * {@code U}, puts at 2/3 on three nodes with a frame for each request; {@code B}, the same with batching. In addition,
 * puts at 3/3 beside Infinispan's.
 */
public final class TransportVariants implements AutoCloseable {

    /** The transport that is compared with Infinispan. */
    public static final String COMPARED = "grpc-stream";

    /** The bytes of a put's frame without the value; an echo carries as much. */
    private static final int FRAME_OVERHEAD = 60;

    private final int keyCount;
    private final List<Runnable> closing = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();
    private List<Variant> threeOfThree = List.of();

    private TransportVariants(int keyCount) {
        this.keyCount = keyCount;
    }

    /**
     * A transport's variants.
     *
     * @param name of the transport
     * @param bare R; empty for a candidate without a bare library
     * @param unbatched U
     * @param batched B
     */
    public record Row(String name, Optional<Variant> bare, Variant unbatched, Variant batched) {}

    /**
     * Describes a comparison.
     *
     * @param transports to compare, in this order
     * @param inFlight operations in flight
     * @param valueBytes size of a value
     * @param keys number of keys
     */
    public record Spec(List<TransportCandidate> transports, int inFlight, int valueBytes, int keys) {

        /** Keeps an unmodifiable copy. */
        public Spec {
            transports = List.copyOf(transports);
        }
    }

    /**
     * Starts all parts. Blocks.
     *
     * @param spec the comparison
     * @return the variants, which the caller closes
     * @throws Exception if a part fails to start; the others are stopped then
     */
    public static TransportVariants start(Spec spec) throws Exception {
        TransportVariants variants = new TransportVariants(spec.keys());
        try {
            variants.open(spec);
            return variants;
        } catch (Exception e) {
            variants.close();
            throw e;
        }
    }

    private void open(Spec spec) throws Exception {
        String[] keys = new String[keyCount];
        for (int i = 0; i < keyCount; i++) {
            keys[i] = "key-%08d".formatted(i);
        }
        byte[] value = new byte[spec.valueBytes()];
        Arrays.fill(value, (byte) 'v');
        byte[] frame = new byte[FRAME_OVERHEAD + spec.valueBytes()];
        for (TransportCandidate candidate : spec.transports()) {
            Optional<Echo> echo = candidate.echo(spec.inFlight());
            echo.ifPresent(started -> closing.add(started::close));
            PutCluster unbatched = keep(nodes(candidate, Batching.off(), 2, keys, value));
            PutCluster batched = keep(nodes(candidate, Batching.on(), 2, keys, value));
            rows.add(new Row(
                    candidate.name(),
                    echo.map(started -> new Variant(slot -> started.call(frame))),
                    new Variant(puts(unbatched)),
                    new Variant(puts(batched))));
        }
        PutCluster ours = keep(nodes(BuiltInTransport.named(COMPARED), Batching.on(), 3, keys, value));
        PutCluster theirs = keep(new InfinispanNodes(keys, value));
        threeOfThree = List.of(new Variant(puts(ours)), new Variant(puts(theirs)));
    }

    private static PutCluster nodes(
            TransportCandidate candidate, Batching batching, int ack, String[] keys, byte[] value) throws Exception {
        return new ThreeNodes(candidate, FreePorts.find(3), builder -> builder.batching(batching), ack, keys, value);
    }

    private PutCluster keep(PutCluster started) {
        closing.add(started::close);
        return started;
    }

    private IntFunction<CompletionStage<?>> puts(PutCluster cluster) {
        return slot -> cluster.put(slot % 3, ThreadLocalRandom.current().nextInt(keyCount));
    }

    /** Returns a row for each transport, in the requested order. */
    public List<Row> rows() {
        return List.copyOf(rows);
    }

    /** Returns the puts at 3 of 3: this library's over {@link #COMPARED}, and Infinispan's. */
    public List<Variant> threeOfThree() {
        return threeOfThree;
    }

    /** Returns all variants, for one run. */
    public List<Variant> all() {
        List<Variant> variants = new ArrayList<>();
        rows.forEach(row -> {
            row.bare().ifPresent(variants::add);
            variants.addAll(List.of(row.unbatched(), row.batched()));
        });
        variants.addAll(threeOfThree);
        return variants;
    }

    /** Stops all parts. Blocks. */
    @Override
    public void close() {
        closing.forEach(Runnable::run);
    }
}
