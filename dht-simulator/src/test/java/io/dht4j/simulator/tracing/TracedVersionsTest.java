package io.dht4j.simulator.tracing;

import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Version;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.core.options.Batching;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Observer.Outcome;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.network.ForwardingTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A node whose peers do not trace, or are of an earlier version, which does not know trace contexts. */
class TracedVersionsTest {

    private static final Key KEY = Key.of("key");
    private static final CallOptions ALL_OF_THREE = CallOptions.defaults().withPolicy(3, 3);
    private static final Duration HOP = Duration.ofMillis(20);
    private static final int FEATURES = 13;
    private static final int TRACES = 4;

    private final RecordingTracer tracer = new RecordingTracer(true);
    private final List<byte[]> sent = new ArrayList<>();
    /** Whether node 2 answers as an earlier version. */
    private boolean isEarlier;

    /** Records the frames of node 0, and answers for node 2 as an earlier version. */
    private final class Wire extends ForwardingTransport {

        Wire(Transport transport) {
            super(transport);
        }

        @Override
        public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
            byte[] frame = request.toBytes();
            if (node.id().equals(id(2))) {
                sent.add(frame);
                if (isEarlier && frame[1] == FEATURES) {
                    return refusal(frame, ErrorCode.MALFORMED_FRAME);
                }
                if (isEarlier && frame[2] >= TRACES) {
                    return refusal(frame, ErrorCode.UNSUPPORTED_PROTOCOL);
                }
            }
            return super.call(node, request, context);
        }

        private CompletionStage<byte[]> refusal(byte[] frame, ErrorCode code) {
            try {
                FrameHeader request = FrameCodec.header(frame, new NodeIds(List.of(id(0), id(1), id(2))));
                FrameHeader header = new FrameHeader(
                        id(2),
                        Optional.empty(),
                        request.settings(),
                        request.epoch(),
                        request.clock(),
                        request.wallMillis());
                return CompletableFuture.completedFuture(
                        FrameCodec.encode(header, new Reply.Failed(code, "an earlier version")));
            } catch (FrameException e) {
                throw new AssertionError(e);
            }
        }
    }

    private SimulatedCluster cluster(RecordingTracer ofFirst, Batching batching) {
        return SimulatedCluster.of(1, 3)
                .wires((i, transport) -> i == 0 ? new Wire(transport) : transport)
                .options((i, builder) ->
                        i == 0 ? builder.tracer(ofFirst).batching(batching).handoff(HintedHandoff.off()) : builder)
                .start();
    }

    private long withTraces() {
        return sent.stream().filter(frame -> frame[2] >= TRACES).count();
    }

    private long questions() {
        return sent.stream().filter(frame -> frame[1] == FEATURES).count();
    }

    private void put(SimulatedCluster cluster) {
        cluster.await(cluster.node(0).put(KEY, new byte[1], ALL_OF_THREE));
        cluster.env.advance(HOP);
    }

    @Test
    void aNodeWithoutATracerIgnoresTheContext() {
        try (SimulatedCluster cluster = cluster(tracer, Batching.on())) {
            put(cluster);
            put(cluster);
            assertThat(withTraces()).isPositive();
            assertThat(tracer.spans).noneMatch(span -> span.name.startsWith("serve"));
            assertThat(tracer.spans).allSatisfy(span -> assertThat(span.ends).containsExactly(Outcome.success()));
        }
    }

    @Test
    void anEarlierVersionIsSentNoContextAndAskedOnceAMinute() {
        isEarlier = true;
        try (SimulatedCluster cluster = cluster(tracer, Batching.on())) {
            for (int i = 0; i < 10; i++) {
                put(cluster);
            }
            assertThat(withTraces()).isZero();
            assertThat(questions()).isEqualTo(1);
            cluster.env.advance(Duration.ofMinutes(1));
            put(cluster);
            put(cluster);
            assertThat(questions()).isEqualTo(2);
            isEarlier = false;
            cluster.env.advance(Duration.ofMinutes(1));
            put(cluster);
            put(cluster);
            assertThat(withTraces()).isPositive();
        }
    }

    @Test
    void aNodeThatComesBackAsAnEarlierVersionLosesNoCall() {
        try (SimulatedCluster cluster = cluster(tracer, new Batching(true, 1000, 256 * 1024, 1))) {
            put(cluster);
            put(cluster);
            assertThat(withTraces()).isEqualTo(1);
            isEarlier = true;
            cluster.links.get(0).towardAll(Fault.delay(HOP, HOP));
            List<CompletionStage<Version>> puts = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                // Calls of both kinds share the frame that is refused.
                tracer.sample(i % 2 == 0);
                puts.add(cluster.node(0).put(Key.of("key" + i), new byte[1], ALL_OF_THREE));
            }
            puts.forEach(cluster::await);
            tracer.sample(true);
            long refused = withTraces();
            put(cluster);
            assertThat(withTraces()).isEqualTo(refused);
            cluster.env.advance(HOP);
            assertThat(tracer.spans).allSatisfy(span -> assertThat(span.ends).containsExactly(Outcome.success()));
        }
    }

    @Test
    void aNodeIsAskedAgainAfterAFrameToItHasFailed() {
        try (SimulatedCluster cluster = cluster(tracer, Batching.on())) {
            put(cluster);
            put(cluster);
            assertThat(questions()).isEqualTo(1);
            cluster.links.get(0).toward(id(2), Fault.refuse());
            cluster.failureOf(cluster.node(0).put(KEY, new byte[1], ALL_OF_THREE));
            cluster.heal();
            put(cluster);
            assertThat(questions()).isEqualTo(2);
        }
    }

    @Test
    void unsampledCallsLeaveFramesAsTheyAre() {
        try (SimulatedCluster cluster = cluster(new RecordingTracer(false), Batching.on())) {
            put(cluster);
            put(cluster);
            assertThat(questions() + withTraces()).isZero();
        }
    }
}
