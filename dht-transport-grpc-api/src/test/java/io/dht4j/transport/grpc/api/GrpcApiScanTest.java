package io.dht4j.transport.grpc.api;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.bytes;
import static io.dht4j.transport.grpc.api.GrpcApiNodes.code;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.ScanScope;
import io.dht4j.v1.BatchPutRequest;
import io.dht4j.v1.PutRequest;
import io.dht4j.v1.ScanRequest;
import io.dht4j.v1.ScanResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Scans of the cluster, their bounds and errors, against three nodes. */
class GrpcApiScanTest {

    private static GrpcApiNodes nodes;

    @BeforeAll
    static void start() {
        nodes = GrpcApiNodes.three();
    }

    @AfterAll
    static void close() {
        nodes.close();
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
        assertThat(nodes.scan(1, range.build()).stream()
                        .map(entry -> Map.entry(
                                entry.getKey().toStringUtf8(),
                                entry.getValue().getData().toStringUtf8()))
                        .toList())
                .isEqualTo(all);
        assertThat(nodes.scan(2, range.clone().setLimit(1_234).build())).hasSize(1_234);
        assertThat(nodes.scan(2, range.clone().setMaxBytes(1).build())).hasSize(1);
        assertThat(nodes.scan(2, range.clone().setMaxBytes(1_000).build())).hasSizeBetween(1_000 / 20, 1_000 / 15);
        assertThat(nodes.scan(0, range.clone().setEnd(bytes("scan 0003")).build()))
                .extracting(entry -> entry.getKey().toStringUtf8())
                .containsExactly("scan 0000", "scan 0001", "scan 0002");
        assertThat(nodes.scan(0, range.clone().setStart(bytes("scan z")).build()))
                .isEmpty();
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
        bad.forEach(request ->
                assertThat(code(() -> nodes.scan(0, request.build()))).isEqualTo(ErrorCode.SCAN_INVALID));
    }

    @Test
    void aScanOfTheClusterIsTheEmbeddedOne() throws Exception {
        nodes.client(0)
                .put(PutRequest.newBuilder()
                        .setKey(bytes("same"))
                        .setValue(bytes("v"))
                        .build());
        List<io.dht4j.KeyValue> embedded = new ArrayList<>();
        nodes.cluster(1)
                .scan(io.dht4j.KeyRange.all(), ScanScope.CLUSTER, CallOptions.defaults())
                .forEach(embedded::add)
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
        assertThat(nodes.scan(2, ScanRequest.getDefaultInstance()).stream()
                        .map(entry -> ByteString.copyFrom(entry.getKey().toByteArray()))
                        .toList())
                .containsExactlyElementsOf(embedded.stream()
                        .map(entry -> ByteString.copyFrom(entry.key().toByteArray()))
                        .toList());
    }
}
