package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.AgreedCluster.COORDINATOR;
import static io.dht4j.simulator.cluster.membership.AgreedCluster.NAMES;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.core.options.Batching;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Batches of requests by different tables: each request is judged by the version of its own row. */
class FencedBatchesTest {

    private static final int MOVED = 0;
    private static final int FORMER = 0;
    private static final int HEIR = 3;
    /** The type of a frame. */
    private static final int BATCH = 5;

    private static final byte[] OLD = {1};
    private static final byte[] NEW = {2};
    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);

    private final AgreedCluster agreed = AgreedCluster.with(SimulatedCluster.of(1, AgreedCluster.NODES)
            .options(builder ->
                    builder.partitions(AgreedCluster.PARTITIONS).batching(new Batching(true, 100, 4096, 1))));
    private final SimulatedCluster cluster = agreed.cluster;
    private final Key key = agreed.key(MOVED);

    @BeforeEach
    void meet() {
        cluster.await(agreed.coordinator().put(agreed.key(5), OLD, ALL));
        agreed.sent.clear();
    }

    /** Delays the next frame: while it is under way, the requests after it wait, until they share one. */
    private void holdNextFramesBack() {
        agreed.link(COORDINATOR).toward(SimulatedCluster.id(1), Fault.delay(Duration.ofMillis(10), Duration.ZERO));
    }

    private AgreedCluster.Sent batch() {
        return agreed.between(COORDINATOR, 1).stream()
                .filter(each -> each.request[1] == BATCH)
                .findFirst()
                .orElseThrow();
    }

    private static Request.Batch requests(AgreedCluster.Sent frame) throws FrameException {
        return (Request.Batch) FrameCodec.decodeRequest(frame.request, NAMES).message();
    }

    @Test
    void onlyThePartByTheOldTableIsRefused() throws Exception {
        try (agreed) {
            holdNextFramesBack();
            CompletionStage<?> first = agreed.coordinator().put(agreed.key(5), OLD, ALL);
            CompletionStage<?> byOldTable = agreed.coordinator().put(key, NEW, ALL);
            agreed.change(MOVED, HEIR, 1, 2);
            agreed.change(4, 0, 1, 3);
            agreed.installAtAll();
            CompletionStage<?> byNewTable = agreed.coordinator().put(agreed.key(4), NEW, ALL);
            cluster.await(first);
            cluster.await(byOldTable);
            cluster.await(byNewTable);
            AgreedCluster.Sent frame = batch();
            Request.Batch batch = requests(frame);
            assertThat(batch.parts()).extracting(Request.BatchPart::rowVersion).startsWith(2L, 4L);
            Reply.Batch replies = (Reply.Batch)
                    FrameCodec.decodeReply(frame.reply, batch, NAMES).message();
            assertThat(replies.replies().get(0))
                    .isInstanceOfSatisfying(
                            Reply.Failed.class,
                            failed -> assertThat(failed.code()).isEqualTo(ErrorCode.STALE_TOPOLOGY));
            assertThat(replies.replies().get(1)).isEqualTo(Reply.Applied.AS_NEWEST);
            assertThat(agreed.stores.get(FORMER).get(key)).isEmpty();
        }
    }

    @Test
    void onlyThePartByANewerTableWaitsForIt() throws Exception {
        try (agreed) {
            CompletableFuture<ClusterView> late = new CompletableFuture<>();
            agreed.node(1).refresh().from((from, known) -> late);
            holdNextFramesBack();
            CompletionStage<?> first = agreed.coordinator().put(agreed.key(5), OLD, ALL);
            CompletionStage<?> byOldTable = agreed.coordinator().put(agreed.key(5), NEW, ALL);
            agreed.change(MOVED, HEIR, 1, 2);
            agreed.install(COORDINATOR, HEIR, 2);
            CompletableFuture<?> byNewTable =
                    agreed.coordinator().put(key, NEW, ALL).toCompletableFuture();
            long before = cluster.env.nanoTime();
            cluster.await(first);
            cluster.await(byOldTable);
            assertThat(cluster.env.nanoTime() - before)
                    .isLessThan(Duration.ofMillis(500).toNanos());
            assertThat(requests(batch()).parts())
                    .extracting(Request.BatchPart::rowVersion)
                    .containsExactly(2L, 3L);
            // Asked once more, it waits.
            cluster.env.advance(Duration.ofMillis(500));
            assertThat(byNewTable).isNotDone();
            late.complete(agreed.view(1));
            cluster.await(byNewTable);
        }
    }
}
