package io.dht4j.transport.grpc.api;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.bytes;
import static io.dht4j.transport.grpc.api.GrpcApiNodes.code;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.dht4j.ErrorCode;
import io.dht4j.v1.BatchGetRequest;
import io.dht4j.v1.BatchPutRequest;
import io.dht4j.v1.Entry;
import io.dht4j.v1.Policy;
import io.dht4j.v1.PutRequest;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Batches of reads and writes, and their limits, against three nodes. */
class GrpcApiBatchTest {

    private static GrpcApiNodes nodes;

    @BeforeAll
    static void start() {
        nodes = GrpcApiNodes.three(
                settings -> settings.maxBatch(50),
                GrpcApiOptions.defaults().withMaxBatchBytes(8 << 20).withMaxBatchKeys(100));
    }

    @AfterAll
    static void close() {
        nodes.close();
    }

    @Test
    void batchesAreReadAndWritten() {
        BatchPutRequest.Builder puts = BatchPutRequest.newBuilder()
                .setPolicy(Policy.newBuilder().setAck(3).setFrom(3))
                .setTtlMillis(3_600_000);
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
}
