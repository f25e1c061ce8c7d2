package io.dht4j.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.ForwardingTransport;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A frame is its sender's only if the certificate says so, where there is one. */
class ImpostorTest {

    private static final NodeIds NAMES =
            new NodeIds(List.of(SimulatedCluster.id(0), SimulatedCluster.id(1), SimulatedCluster.id(2)));
    private static final Key KEY = Key.of("key");

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final LoopbackNetwork network = LoopbackNetwork.on(env);
    private final AtomicReference<FrameHandler> handler = new AtomicReference<>();
    private final AtomicReference<byte[]> frameOfN1 = new AtomicReference<>();

    @Test
    void frameUnderAnUnprovenNameDoesNothing() throws Exception {
        try (SimulatedCluster cluster = cluster()) {
            Request put = new Request.ApplyEntries(
                    List.of(Entry.value(KEY, new Version(1L << 20), new byte[1], Entry.NEVER)));
            byte[] frame = frame(put);
            assertThat(FrameBytes.errorOf(answer(frame, Set.of("n2")))).isEqualTo(ErrorCode.PERMISSION_DENIED);
            assertThat(FrameBytes.errorOf(answer(frame, Set.of("app", "localhost"))))
                    .isEqualTo(ErrorCode.PERMISSION_DENIED);
            assertThat(cluster.stores.get(0).get(KEY)).isEmpty();
            FrameCodec.decodeReply(answer(frame, Set.of("localhost", "n1")), put, NAMES);
            assertThat(cluster.stores.get(0).get(KEY)).isPresent();
            // Without TLS nothing is proved, and everybody believed.
            FrameCodec.decodeReply(answer(frame, Set.of()), put, NAMES);
        }
    }

    @Test
    void purgeReportForAnotherNodeIsRefused() throws Exception {
        try (SimulatedCluster cluster = cluster()) {
            PartitionSet partitions = PartitionSet.of(0);
            long far = Version.of(env.currentTimeMillis(), 0).packed();
            byte[] ofAnother = frame(new RepairRequest.Watermarks("n2", partitions, List.of(far)));
            assertThat(FrameBytes.errorOf(answer(ofAnother, Set.of()))).isEqualTo(ErrorCode.BAD_REQUEST);
            assertThat(FrameBytes.errorOf(answer(ofAnother, Set.of("n1")))).isEqualTo(ErrorCode.BAD_REQUEST);
            RepairRequest own = new RepairRequest.Watermarks("n1", partitions, List.of(0L));
            FrameCodec.decodeReply(answer(frame(own), Set.of("n1")), own, NAMES);
            assertThat(cluster.await(cluster.node(1).get(Key.of("other")))).isPresent();
        }
    }

    private SimulatedCluster cluster() {
        SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .on(env, network, "")
                .options((i, builder) -> builder.transport(new Watched(network.transport("host" + i + ":1"), i)))
                .start();
        cluster.await(cluster.node(1)
                .put(Key.of("other"), new byte[1], CallOptions.defaults().withPolicy(3, 3)));
        return cluster;
    }

    /** A frame of n1 to n0. */
    private byte[] frame(Request request) throws Exception {
        return FrameCodec.encode(FrameCodec.header(frameOfN1.get(), NAMES), request)
                .toBytes();
    }

    private byte[] answer(byte[] frame, Set<String> names) {
        CallContext context =
                new CallContext(env::nanoTime, Duration.ofSeconds(5).toNanos(), names);
        return env.await(handler.get().handle(frame, context), SimulatedCluster.BOUND);
    }

    /** Remembers the handler of n0, and a frame that n1 has sent to it. */
    private final class Watched extends ForwardingTransport {

        private final int node;

        Watched(Transport transport, int node) {
            super(transport);
            this.node = node;
        }

        @Override
        public CompletionStage<Void> start(FrameHandler frames) {
            if (node == 0) {
                handler.set(frames);
            }
            return super.start(frames);
        }

        @Override
        public CompletionStage<byte[]> call(Node callee, Frame request, CallContext context) {
            if (node == 1 && callee.id().equals(SimulatedCluster.id(0))) {
                frameOfN1.set(request.toBytes());
            }
            return super.call(callee, request, context);
        }
    }
}
