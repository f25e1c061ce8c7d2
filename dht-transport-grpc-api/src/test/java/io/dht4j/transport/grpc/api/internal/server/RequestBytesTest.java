package io.dht4j.transport.grpc.api.internal.server;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.bytes;
import static io.dht4j.transport.grpc.api.GrpcApiNodes.code;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.dht4j.ErrorCode;
import io.dht4j.transport.grpc.api.GrpcApiNodes;
import io.dht4j.v1.GetRequest;
import io.dht4j.v1.KeyValueGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Messages that are not what they should be, or more than that. */
class RequestBytesTest {

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
    void whatIsNoSuchMessageIsABadRequest() {
        byte[] nonsense = "\nnonsense".getBytes(StandardCharsets.UTF_8);
        List<MethodDescriptor<?, ?>> methods =
                new ArrayList<>(KeyValueGrpc.getServiceDescriptor().getMethods());
        methods.remove(KeyValueGrpc.getStatusMethod());
        for (MethodDescriptor<?, ?> method : methods) {
            MethodDescriptor<byte[], byte[]> raw = MethodDescriptor.newBuilder(new RequestBytes(), new RequestBytes())
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
        assertThat(RequestBytes.message(GetRequest.parser(), later))
                .isEqualTo(GetRequest.newBuilder().setKey(bytes("shared")).build());
    }
}
