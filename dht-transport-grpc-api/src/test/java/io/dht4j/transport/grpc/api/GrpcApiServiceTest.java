package io.dht4j.transport.grpc.api;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.bytes;
import static io.dht4j.transport.grpc.api.GrpcApiNodes.code;
import static io.dht4j.transport.grpc.api.GrpcApiNodes.failure;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.Node;
import io.dht4j.v1.BatchGetRequest;
import io.dht4j.v1.BatchPutRequest;
import io.dht4j.v1.DeleteRequest;
import io.dht4j.v1.GetRequest;
import io.dht4j.v1.LocateRequest;
import io.dht4j.v1.Policy;
import io.dht4j.v1.PutRequest;
import io.dht4j.v1.ScanRequest;
import io.dht4j.v1.StatusRequest;
import io.dht4j.v1.StatusResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Reads and writes of one key, their policies and errors, and what a node tells of itself, against three nodes. */
class GrpcApiServiceTest {

    private static GrpcApiNodes nodes;

    @BeforeAll
    static void start() {
        nodes = GrpcApiNodes.three(
                settings -> settings.maxBatch(50).maxValueBytes(4 << 20),
                GrpcApiOptions.defaults().withMaxValueBytes(5 << 20).withMaxBatchBytes(8 << 20));
    }

    @AfterAll
    static void close() {
        nodes.close();
    }

    private static PutRequest.Builder put(String key, String value) {
        return PutRequest.newBuilder().setKey(bytes(key)).setValue(bytes(value));
    }

    private static GetRequest get(String key) {
        return GetRequest.newBuilder().setKey(bytes(key)).build();
    }

    private static Policy ack(int ack) {
        return Policy.newBuilder().setAck(ack).build();
    }

    private static Policy from(int from) {
        return Policy.newBuilder().setFrom(from).build();
    }

    /** The nodes that hold a key themselves. */
    private static List<Integer> holders(String key) {
        List<Integer> holders = new ArrayList<>();
        for (int node = 0; node < 3; node++) {
            ScanRequest own = ScanRequest.newBuilder()
                    .setScope(ScanRequest.Scope.NODE)
                    .setStart(bytes(key))
                    .setLimit(1)
                    .build();
            if (nodes.scan(node, own).stream().anyMatch(entry -> entry.getKey().equals(bytes(key)))) {
                holders.add(node);
            }
        }
        return holders;
    }

    @Test
    void whatOneNodeWasGivenTheOthersShow() {
        long put = nodes.client(0).put(put("shared", "value").build()).getVersion();
        for (int node = 0; node < 3; node++) {
            assertThat(nodes.client(node).get(get("shared")).getValue().getData())
                    .isEqualTo(bytes("value"));
            assertThat(nodes.client(node).get(get("shared")).getValue().getVersion())
                    .isEqualTo(put);
        }
        long deleted = nodes.client(1)
                .delete(DeleteRequest.newBuilder().setKey(bytes("shared")).build())
                .getVersion();
        assertThat(Long.compareUnsigned(deleted, put)).isPositive();
        assertThat(nodes.client(2).get(get("shared")).hasValue()).isFalse();
    }

    @Test
    void anEmptyValueIsNotAnAbsentOne() {
        nodes.client(0).put(put("empty", "").build());
        assertThat(nodes.client(1).get(get("empty")).hasValue()).isTrue();
        assertThat(nodes.client(1).get(get("empty")).getValue().getData().isEmpty())
                .isTrue();
        assertThat(nodes.client(1).get(get("absent")).hasValue()).isFalse();
    }

    @Test
    void aPolicySaysHowManyReplicasHoldAValue() {
        nodes.client(0).put(put("on one", "x").setPolicy(from(1)).build());
        nodes.client(0)
                .put(put("on two", "x")
                        .setPolicy(Policy.newBuilder().setAck(2).setFrom(2))
                        .build());
        nodes.client(0).put(put("on all", "x").setPolicy(ack(3)).build());
        nodes.client(0)
                .put(put("by default", "x")
                        .setPolicy(Policy.getDefaultInstance())
                        .build());
        assertThat(holders("on one")).hasSize(1);
        assertThat(holders("on two")).hasSize(2);
        assertThat(holders("on all")).containsExactly(0, 1, 2);
        assertThat(holders("by default")).hasSizeGreaterThanOrEqualTo(2);
        assertThat(nodes.client(2)
                        .get(GetRequest.newBuilder()
                                .setKey(bytes("on one"))
                                .setPolicy(from(3))
                                .build())
                        .hasValue())
                .as("from alone takes its majority")
                .isTrue();
    }

    @Test
    void policiesOutOfRangeAreRefused() {
        List<Policy> bad = List.of(
                ack(0),
                ack(4),
                ack(-1),
                from(0),
                from(4),
                Policy.newBuilder().setAck(3).setFrom(2).build());
        for (Policy policy : bad) {
            assertThat(code(() ->
                            nodes.client(0).put(put("k", "v").setPolicy(policy).build())))
                    .isEqualTo(ErrorCode.POLICY_INVALID);
            assertThat(code(() -> nodes.client(0)
                            .get(GetRequest.newBuilder()
                                    .setKey(bytes("k"))
                                    .setPolicy(policy)
                                    .build())))
                    .isEqualTo(ErrorCode.POLICY_INVALID);
            assertThat(code(() -> nodes.scan(
                            0, ScanRequest.newBuilder().setPolicy(policy).build())))
                    .isEqualTo(ErrorCode.POLICY_INVALID);
        }
    }

    @Test
    void aTimeToLiveBecomesAnExpiry() {
        long before = System.currentTimeMillis();
        nodes.client(0).put(put("brief", "v").setTtlMillis(3_600_000).build());
        assertThat(nodes.client(1).get(get("brief")).getValue().getExpiresAtMillis())
                .isBetween(before + 3_600_000, System.currentTimeMillis() + 3_600_000);
        nodes.client(0).put(put("brief", "v").build());
        assertThat(nodes.client(1).get(get("brief")).getValue().hasExpiresAtMillis())
                .isFalse();
        for (long bad : new long[] {0, -1, CallOptions.MAX_TIME_TO_LIVE.toMillis() + 1}) {
            assertThat(code(() ->
                            nodes.client(0).put(put("k", "v").setTtlMillis(bad).build())))
                    .isEqualTo(ErrorCode.TTL_INVALID);
        }
    }

    @Test
    void keysAreAnyBytesUpTo4096() {
        byte[] all = new byte[Key.MAX_LENGTH];
        new SplittableRandom(1).nextBytes(all);
        ByteString longest = ByteString.copyFrom(all);
        nodes.client(0)
                .put(PutRequest.newBuilder()
                        .setKey(longest)
                        .setValue(bytes("v"))
                        .build());
        assertThat(nodes.client(1)
                        .get(GetRequest.newBuilder().setKey(longest).build())
                        .hasValue())
                .isTrue();
        for (ByteString bad : List.of(ByteString.EMPTY, longest.concat(bytes("x")))) {
            assertThat(code(() -> nodes.client(0)
                            .get(GetRequest.newBuilder().setKey(bad).build())))
                    .isEqualTo(ErrorCode.KEY_INVALID);
            assertThat(code(() -> nodes.client(0)
                            .put(PutRequest.newBuilder().setKey(bad).build())))
                    .isEqualTo(ErrorCode.KEY_INVALID);
            assertThat(code(() -> nodes.client(0)
                            .delete(DeleteRequest.newBuilder().setKey(bad).build())))
                    .isEqualTo(ErrorCode.KEY_INVALID);
            assertThat(code(() -> nodes.client(0)
                            .batchGet(BatchGetRequest.newBuilder().addKeys(bad).build())))
                    .isEqualTo(ErrorCode.KEY_INVALID);
            assertThat(code(() -> nodes.client(0)
                            .batchPut(BatchPutRequest.newBuilder()
                                    .addItems(BatchPutRequest.Item.newBuilder().setKey(bad))
                                    .build())))
                    .isEqualTo(ErrorCode.KEY_INVALID);
            assertThat(code(() -> nodes.client(0)
                            .locate(LocateRequest.newBuilder().setKey(bad).build())))
                    .isEqualTo(ErrorCode.KEY_INVALID);
            assertThat(code(() ->
                            nodes.scan(0, ScanRequest.newBuilder().setStart(bad).build())))
                    .isEqualTo(ErrorCode.KEY_INVALID);
            assertThat(code(() ->
                            nodes.scan(0, ScanRequest.newBuilder().setEnd(bad).build())))
                    .isEqualTo(ErrorCode.KEY_INVALID);
        }
    }

    @Test
    void valuesTooLargeForTheClusterOrTheApiAreRefused() {
        byte[] large = new byte[(6 << 20)];
        new SplittableRandom(2).nextBytes(large);
        ByteString whole = UnsafeByteOperations.unsafeWrap(large);
        PutRequest.Builder put = PutRequest.newBuilder().setKey(bytes("large"));
        nodes.client(0).put(put.setValue(whole.substring(0, 4 << 20)).build());
        assertThat(nodes.client(1).get(get("large")).getValue().getData()).isEqualTo(whole.substring(0, 4 << 20));
        assertThat(code(() -> nodes.client(0)
                        .put(put.setValue(whole.substring(0, (4 << 20) + 1)).build())))
                .isEqualTo(ErrorCode.VALUE_TOO_LARGE);
        assertThat(code(() -> nodes.client(0).put(put.setValue(whole).build()))).isEqualTo(ErrorCode.VALUE_TOO_LARGE);
        assertThat(nodes.client(1).get(get("large")).getValue().getData()).isEqualTo(whole.substring(0, 4 << 20));
    }

    @Test
    void aMessageOverAllLimitsIsRefusedUnread() {
        ByteString huge = UnsafeByteOperations.unsafeWrap(new byte[9 << 20]);
        StatusRuntimeException failure = failure(() -> nodes.client(0)
                .put(PutRequest.newBuilder().setKey(bytes("k")).setValue(huge).build()));
        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    }

    @Test
    void aNodeTellsWhereKeysLiveAndWhatItIs() throws Exception {
        KeyPlacement placement = nodes.cluster(0)
                .locate(Key.of("somewhere"))
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
        var located = nodes.client(2)
                .locate(LocateRequest.newBuilder().setKey(bytes("somewhere")).build());
        assertThat(located.getPartition()).isEqualTo(placement.partition());
        assertThat(located.getReplicasList())
                .containsExactlyElementsOf(placement.replicas().stream()
                        .map(node -> node.id().value())
                        .toList());
        StatusResponse status = nodes.client(1).status(StatusRequest.getDefaultInstance());
        assertThat(status.getId()).isEqualTo("n2");
        assertThat(status.getEpoch()).isEqualTo(1);
        assertThat(status.getNodesList())
                .extracting(io.dht4j.v1.Node::getId)
                .containsExactlyElementsOf(nodes.topology().nodes().stream()
                        .map(Node::id)
                        .map(Object::toString)
                        .toList());
        assertThat(status.getReplicationFactor()).isEqualTo(3);
        assertThat(status.getPartitions()).isEqualTo(1024);
        assertThat(status.getPlacement()).isEqualTo("rendezvous");
    }
}
