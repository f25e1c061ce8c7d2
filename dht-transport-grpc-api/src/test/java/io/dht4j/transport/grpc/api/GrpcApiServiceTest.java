package io.dht4j.transport.grpc.api;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.bytes;
import static io.dht4j.transport.grpc.api.GrpcApiNodes.failure;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.Node;
import io.dht4j.ScanScope;
import io.dht4j.v1.BatchGetRequest;
import io.dht4j.v1.BatchPutRequest;
import io.dht4j.v1.DeleteRequest;
import io.dht4j.v1.Entry;
import io.dht4j.v1.GetRequest;
import io.dht4j.v1.KeyValueGrpc;
import io.dht4j.v1.LocateRequest;
import io.dht4j.v1.Policy;
import io.dht4j.v1.PutRequest;
import io.dht4j.v1.ScanRequest;
import io.dht4j.v1.ScanResponse;
import io.dht4j.v1.StatusRequest;
import io.dht4j.v1.StatusResponse;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every method, its policies and its errors, against three nodes. */
class GrpcApiServiceTest {

    private static final Policy EVERYWHERE =
            Policy.newBuilder().setAck(3).setFrom(3).build();

    private static GrpcApiNodes nodes;

    @BeforeAll
    static void start() {
        nodes = GrpcApiNodes.three(
                settings -> settings.maxBatch(50).maxValueBytes(4 << 20),
                GrpcApiOptions.defaults()
                        .withMaxValueBytes(5 << 20)
                        .withMaxBatchBytes(8 << 20)
                        .withMaxBatchKeys(100));
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

    private static ErrorCode code(Supplier<?> call) {
        StatusRuntimeException failure = failure(call);
        DhtException error = GrpcApiErrors.decode(failure.getStatus(), failure.getTrailers())
                .orElseThrow(() -> new AssertionError("no details", failure));
        assertThat(failure.getStatus().getCode()).isEqualTo(GrpcApiErrors.status(error.code()));
        assertThat(failure.getStatus().getDescription()).isEqualTo(error.getMessage());
        return error.code();
    }

    private static List<Entry> scan(int node, ScanRequest request) {
        List<Entry> entries = new ArrayList<>();
        nodes.client(node).scan(request).forEachRemaining(answer -> entries.addAll(answer.getEntriesList()));
        return entries;
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
            if (scan(node, own).stream().anyMatch(entry -> entry.getKey().equals(bytes(key)))) {
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
            assertThat(code(() ->
                            scan(0, ScanRequest.newBuilder().setPolicy(policy).build())))
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
            assertThat(code(() -> scan(0, ScanRequest.newBuilder().setStart(bad).build())))
                    .isEqualTo(ErrorCode.KEY_INVALID);
            assertThat(code(() -> scan(0, ScanRequest.newBuilder().setEnd(bad).build())))
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
    void batchesAreReadAndWritten() {
        BatchPutRequest.Builder puts =
                BatchPutRequest.newBuilder().setPolicy(EVERYWHERE).setTtlMillis(3_600_000);
        BatchGetRequest.Builder gets = BatchGetRequest.newBuilder().addKeys(bytes("batch nothing"));
        for (int i = 0; i < 50; i++) {
            puts.addItems(BatchPutRequest.Item.newBuilder()
                    .setKey(bytes("batch " + i))
                    .setValue(bytes("value " + i)));
            if (i < 49) {
                gets.addKeys(bytes("batch " + i));
            }
        }
        long version = nodes.client(0).batchPut(puts.build()).getVersion();
        List<Entry> found = nodes.client(1).batchGet(gets.build()).getEntriesList();
        assertThat(found).hasSize(49).allSatisfy(entry -> {
            assertThat(entry.getValue().getVersion()).isEqualTo(version);
            assertThat(entry.getValue().hasExpiresAtMillis()).isTrue();
            assertThat(entry.getValue().getData().toStringUtf8())
                    .isEqualTo(entry.getKey().toStringUtf8().replace("batch", "value"));
        });
        assertThat(nodes.client(0)
                        .batchGet(BatchGetRequest.getDefaultInstance())
                        .getEntriesList())
                .isEmpty();
        nodes.client(0).batchPut(BatchPutRequest.getDefaultInstance());
    }

    @Test
    void batchesHaveLimits() {
        for (int count : new int[] {51, 101, 5_000}) {
            BatchPutRequest.Builder puts = BatchPutRequest.newBuilder();
            BatchGetRequest.Builder gets = BatchGetRequest.newBuilder();
            for (int i = 0; i < count; i++) {
                puts.addItems(BatchPutRequest.Item.newBuilder().setKey(bytes("many " + i)));
                gets.addKeys(bytes("many " + i));
            }
            assertThat(code(() -> nodes.client(0).batchPut(puts.build()))).isEqualTo(ErrorCode.BATCH_TOO_LARGE);
            assertThat(code(() -> nodes.client(0).batchGet(gets.build()))).isEqualTo(ErrorCode.BATCH_TOO_LARGE);
        }
        BatchPutRequest.Item twice =
                BatchPutRequest.Item.newBuilder().setKey(bytes("twice")).build();
        assertThat(code(() -> nodes.client(0)
                        .batchPut(BatchPutRequest.newBuilder()
                                .addItems(twice)
                                .addItems(twice)
                                .build())))
                .isEqualTo(ErrorCode.BAD_REQUEST);

        ByteString value = UnsafeByteOperations.unsafeWrap(new byte[3 << 20]);
        BatchGetRequest.Builder large = BatchGetRequest.newBuilder();
        for (int i = 0; i < 3; i++) {
            nodes.client(0)
                    .put(PutRequest.newBuilder()
                            .setKey(bytes("heavy " + i))
                            .setValue(value)
                            .build());
            large.addKeys(bytes("heavy " + i));
        }
        assertThat(code(() -> nodes.client(0).batchGet(large.build())))
                .as("9 MiB in an answer of at most 8")
                .isEqualTo(ErrorCode.BATCH_TOO_LARGE);
    }

    @Test
    void aScanShowsARangeInOrder() {
        Map<String, String> model = new TreeMap<>();
        for (int i = 0; i < 2_500; i++) {
            String key = "scan %04d".formatted((i * 7919) % 2_500);
            model.put(key, "value " + i);
        }
        List<Map.Entry<String, String>> all = new ArrayList<>(model.entrySet());
        for (int i = 0; i < all.size(); i += 50) {
            BatchPutRequest.Builder puts = BatchPutRequest.newBuilder();
            all.subList(i, i + 50)
                    .forEach(entry -> puts.addItems(BatchPutRequest.Item.newBuilder()
                            .setKey(bytes(entry.getKey()))
                            .setValue(bytes(entry.getValue()))));
            nodes.client(i % 3).batchPut(puts.build());
        }
        ScanRequest.Builder range =
                ScanRequest.newBuilder().setStart(bytes("scan ")).setEnd(bytes("scan z"));
        assertThat(scan(1, range.build()).stream()
                        .map(entry -> Map.entry(
                                entry.getKey().toStringUtf8(),
                                entry.getValue().getData().toStringUtf8()))
                        .toList())
                .isEqualTo(all);
        assertThat(scan(2, range.clone().setLimit(1_234).build())).hasSize(1_234);
        assertThat(scan(2, range.clone().setMaxBytes(1).build())).hasSize(1);
        assertThat(scan(2, range.clone().setMaxBytes(1_000).build())).hasSizeBetween(1_000 / 20, 1_000 / 15);
        assertThat(scan(0, range.clone().setEnd(bytes("scan 0003")).build()))
                .extracting(entry -> entry.getKey().toStringUtf8())
                .containsExactly("scan 0000", "scan 0001", "scan 0002");
        assertThat(scan(0, range.clone().setStart(bytes("scan z")).build())).isEmpty();
        List<ScanResponse> messages = new ArrayList<>();
        nodes.client(0).scan(range.build()).forEachRemaining(messages::add);
        assertThat(messages).allSatisfy(message -> {
            assertThat(message.getEntriesCount()).isPositive();
            assertThat(message.getSerializedSize()).isLessThan(128 << 10);
        });
    }

    @Test
    void scansOutOfRangeAreRefused() {
        List<ScanRequest.Builder> bad = List.of(
                ScanRequest.newBuilder().setLimit(0),
                ScanRequest.newBuilder().setLimit(-1),
                ScanRequest.newBuilder().setMaxBytes(0),
                ScanRequest.newBuilder().setScopeValue(7));
        bad.forEach(request -> assertThat(code(() -> scan(0, request.build()))).isEqualTo(ErrorCode.SCAN_INVALID));
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

    @Test
    void whatIsNoSuchMessageIsABadRequest() {
        byte[] nonsense = "\nnonsense".getBytes(StandardCharsets.UTF_8);
        List<MethodDescriptor<?, ?>> methods =
                new ArrayList<>(KeyValueGrpc.getServiceDescriptor().getMethods());
        methods.remove(KeyValueGrpc.getStatusMethod());
        for (MethodDescriptor<?, ?> method : methods) {
            MethodDescriptor<byte[], byte[]> raw = MethodDescriptor.newBuilder(new GrpcApiBytes(), new GrpcApiBytes())
                    .setFullMethodName(method.getFullMethodName())
                    .setType(method.getType())
                    .build();
            assertThat(code(() -> ClientCalls.blockingServerStreamingCall(
                                    nodes.channel(0),
                                    raw,
                                    io.grpc.CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS),
                                    nonsense)
                            .hasNext()))
                    .as(method.getFullMethodName())
                    .isEqualTo(ErrorCode.BAD_REQUEST);
        }
    }

    @Test
    void unknownFieldsArePassedOver() throws Exception {
        byte[] later = GetRequest.newBuilder()
                .setKey(bytes("shared"))
                .build()
                .toByteString()
                .concat(ByteString.copyFrom(new byte[] {(byte) 0xF8, 0x3F, 1}))
                .toByteArray();
        assertThat(GetRequest.parseFrom(later).getUnknownFields().asMap()).isNotEmpty();
        assertThat(GrpcApiBytes.message(GetRequest.parser(), later))
                .isEqualTo(GetRequest.newBuilder().setKey(bytes("shared")).build());
    }

    @Test
    void aScanOfTheClusterIsTheEmbeddedOne() throws Exception {
        nodes.client(0).put(put("same", "v").build());
        List<io.dht4j.KeyValue> embedded = new ArrayList<>();
        nodes.cluster(1)
                .scan(io.dht4j.KeyRange.all(), ScanScope.CLUSTER, CallOptions.defaults())
                .forEach(embedded::add)
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
        assertThat(scan(2, ScanRequest.getDefaultInstance()).stream()
                        .map(entry -> ByteString.copyFrom(entry.getKey().toByteArray()))
                        .toList())
                .containsExactlyElementsOf(embedded.stream()
                        .map(entry -> ByteString.copyFrom(entry.key().toByteArray()))
                        .toList());
    }
}
