package io.dht4j.server.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.rpc.ErrorInfo;
import io.dht4j.v1.AtomicRequest;
import io.dht4j.v1.BatchGetRequest;
import io.dht4j.v1.BatchPutRequest;
import io.dht4j.v1.GetRequest;
import io.dht4j.v1.KeyValueGrpc;
import io.dht4j.v1.Policy;
import io.dht4j.v1.PutRequest;
import io.dht4j.v1.ScanRequest;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Sends random and spoiled requests to a public gRPC API. For one thread. */
final class FuzzedGrpcApi {

    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };

    private static final List<byte[]> REQUESTS = Stream.of(
                    GetRequest.newBuilder().setKey(key("key")).setPolicy(policy(1, 2)),
                    PutRequest.newBuilder()
                            .setKey(key("key"))
                            .setValue(key("value"))
                            .setPolicy(policy(1, 1))
                            .setTtlMillis(1_000_000),
                    BatchGetRequest.newBuilder().addKeys(key("a")).addKeys(key("b")),
                    BatchPutRequest.newBuilder()
                            .addItems(BatchPutRequest.Item.newBuilder()
                                    .setKey(key("a"))
                                    .setValue(key("one")))
                            .setPolicy(policy(1, 2)),
                    AtomicRequest.newBuilder()
                            .setMap("map")
                            .setKey(key("key"))
                            .setRequestId("01a31be3-6c00-7000-8000-000000000000")
                            .setReplace(AtomicRequest.Replace.newBuilder()
                                    .setExpected(1)
                                    .setValue(key("value"))
                                    .setTtlMillis(1_000_000)),
                    ScanRequest.newBuilder()
                            .setStart(key("a"))
                            .setEnd(key("z"))
                            .setLimit(3)
                            .setMaxBytes(1_000))
            .map(builder -> builder.build().toByteArray())
            .toList();

    private final ManagedChannel channel;

    FuzzedGrpcApi(int port) {
        channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    }

    /** Sends a spoiled request, which must get an answer, or an error with a number and no trace. */
    void attack(SplittableRandom random) {
        List<MethodDescriptor<?, ?>> methods =
                List.copyOf(KeyValueGrpc.getServiceDescriptor().getMethods());
        MethodDescriptor<?, ?> method = Mutation.one(methods, random);
        byte[] message = Mutation.of(REQUESTS, random);
        MethodDescriptor<byte[], byte[]> raw = MethodDescriptor.newBuilder(BYTES, BYTES)
                .setFullMethodName(method.getFullMethodName())
                .setType(method.getType())
                .build();
        try {
            Iterator<byte[]> answers = ClientCalls.blockingServerStreamingCall(
                    channel, raw, CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS), message);
            answers.forEachRemaining(answer -> assertThat(answer).isNotNull());
        } catch (StatusRuntimeException e) {
            String shown = method.getBareMethodName() + " " + ByteString.copyFrom(message) + ": " + e.getMessage();
            HttpAnswers.requireNoTrace(String.valueOf(e.getStatus().getDescription()), shown);
            assertThat(e.getStatus().getDescription()).as(shown).isNotBlank();
            assertThat(e.getStatus().getCode()).as(shown).isNotIn(Status.Code.INTERNAL, Status.Code.CANCELLED);
            assertThat(codeOf(e)).as(shown).isPositive();
        }
    }

    private static ByteString key(String text) {
        return ByteString.copyFrom(text, StandardCharsets.UTF_8);
    }

    private static Policy policy(int ack, int from) {
        return Policy.newBuilder().setAck(ack).setFrom(from).build();
    }

    /** The number of an error; 0 if it has none. */
    private static int codeOf(StatusRuntimeException error) {
        com.google.rpc.Status details = StatusProto.fromThrowable(error);
        if (details != null) {
            for (Any detail : details.getDetailsList()) {
                if (detail.is(ErrorInfo.class)) {
                    try {
                        return Integer.parseInt(detail.unpack(ErrorInfo.class).getMetadataOrDefault("code", "0"));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            }
        }
        return 0;
    }

    /** Closes the connection. Blocks until that is done. */
    void close() throws InterruptedException {
        channel.shutdownNow();
        assertThat(channel.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }
}
