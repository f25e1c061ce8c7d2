package io.dht4j.transport.grpc.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.dht4j.SlowCall;
import io.dht4j.v1.PutRequest;
import io.dht4j.v1.SlowCallsRequest;
import io.dht4j.v1.SlowCallsResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The slow calls that a node shows. */
class GrpcApiSlowCallsTest {

    /** Large enough to take longer than a millisecond now and then. */
    private static final PutRequest PUT = PutRequest.newBuilder()
            .setKey(GrpcApiNodes.bytes("key"))
            .setValue(ByteString.copyFrom(new byte[8 << 20]))
            .build();

    @Test
    void slowCallsHaveTheirKeyHashAndRequests() {
        try (GrpcApiNodes nodes =
                GrpcApiNodes.three(settings -> settings.slowCalls(Duration.ofMillis(1)), GrpcApiOptions.defaults())) {
            await().atMost(GrpcApiNodes.PATIENCE).until(() -> {
                nodes.client(0).put(PUT);
                return nodes.cluster(0)
                                .operations()
                                .diagnostics()
                                .orElseThrow()
                                .slowCalls()
                                .size()
                        > 1;
            });
            SlowCallsResponse answer = nodes.client(0).slowCalls(SlowCallsRequest.getDefaultInstance());
            assertThat(answer.getCallsCount())
                    .isEqualTo(nodes.cluster(0)
                            .operations()
                            .diagnostics()
                            .orElseThrow()
                            .slowCalls()
                            .size());
            SlowCall expected = nodes.cluster(0)
                    .operations()
                    .diagnostics()
                    .orElseThrow()
                    .slowCalls()
                    .get(0);
            SlowCallsResponse.Call call = answer.getCalls(0);
            assertThat(call.getEndedMillis()).isEqualTo(expected.ended().toEpochMilli());
            assertThat(call.getKind()).isEqualTo("PUT");
            assertThat(call.getOutcome()).isEqualTo(expected.outcome());
            assertThat(call.getTookNanos()).isEqualTo(expected.took().toNanos());
            assertThat(call.getKeys()).isEqualTo(1);
            assertThat(call.getKeyHash()).isEqualTo(expected.keyHash().getAsLong());
            assertThat(call.getReplicasList()).containsExactlyInAnyOrder("n1", "n2", "n3");
            assertThat(call.getRequestsCount()).isEqualTo(expected.requests().size());
            assertThat(call.getRequests(0).getKind()).isEqualTo("WRITE");
            assertThat(call.getRequests(0).getNode())
                    .isEqualTo(expected.requests().get(0).node().value());
        }
    }

    @Test
    void aNodeThatLogsNoneShowsNone() {
        try (GrpcApiNodes nodes = GrpcApiNodes.three()) {
            nodes.client(0).put(PUT);
            assertThat(nodes.client(0)
                            .slowCalls(SlowCallsRequest.getDefaultInstance())
                            .getCallsCount())
                    .isZero();
        }
    }
}
