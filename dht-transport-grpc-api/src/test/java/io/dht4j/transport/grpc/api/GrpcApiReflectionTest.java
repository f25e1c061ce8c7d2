package io.dht4j.transport.grpc.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.TextFormat;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A client that knows nothing of this API but what the node tells it, as {@code grpcurl} does. */
class GrpcApiReflectionTest {

    private static final String SERVICE = "dht4j.v1.KeyValue";

    private static GrpcApiNodes nodes;
    private static Descriptors.ServiceDescriptor service;

    @BeforeAll
    static void askForTheSchema() throws Exception {
        nodes = GrpcApiNodes.three();
        ServerReflectionResponse answer = reflect(
                nodes.channel(0),
                ServerReflectionRequest.newBuilder()
                        .setFileContainingSymbol(SERVICE)
                        .build());
        ByteString file = answer.getFileDescriptorResponse().getFileDescriptorProto(0);
        FileDescriptor schema = FileDescriptor.buildFrom(FileDescriptorProto.parseFrom(file), new FileDescriptor[0]);
        service = schema.findServiceByName("KeyValue");
    }

    @AfterAll
    static void close() {
        nodes.close();
    }

    private static ServerReflectionResponse reflect(ManagedChannel channel, ServerReflectionRequest request)
            throws Exception {
        BlockingQueue<Object> answers = new LinkedBlockingQueue<>();
        StreamObserver<ServerReflectionRequest> questions = ServerReflectionGrpc.newStub(channel)
                .serverReflectionInfo(new StreamObserver<>() {
                    @Override
                    public void onNext(ServerReflectionResponse value) {
                        answers.add(value);
                    }

                    @Override
                    public void onError(Throwable t) {
                        answers.add(t);
                    }

                    @Override
                    public void onCompleted() {}
                });
        questions.onNext(request);
        Object answer = answers.poll(30, TimeUnit.SECONDS);
        questions.onCompleted();
        assertThat(answer).isInstanceOf(ServerReflectionResponse.class);
        return (ServerReflectionResponse) answer;
    }

    private static List<DynamicMessage> call(int node, String method, String request) throws Exception {
        Descriptors.MethodDescriptor descriptor = service.findMethodByName(method);
        DynamicMessage.Builder message = DynamicMessage.newBuilder(descriptor.getInputType());
        TextFormat.merge(request, message);
        MethodDescriptor<DynamicMessage, DynamicMessage> called =
                MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder()
                        .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, method))
                        .setType(
                                descriptor.isServerStreaming()
                                        ? MethodDescriptor.MethodType.SERVER_STREAMING
                                        : MethodDescriptor.MethodType.UNARY)
                        .setRequestMarshaller(
                                ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(descriptor.getInputType())))
                        .setResponseMarshaller(
                                ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(descriptor.getOutputType())))
                        .build();
        CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS);
        Iterator<DynamicMessage> answers =
                ClientCalls.blockingServerStreamingCall(nodes.channel(node), called, options, message.build());
        List<DynamicMessage> all = new ArrayList<>();
        answers.forEachRemaining(all::add);
        return all;
    }

    private static String text(DynamicMessage message) {
        return TextFormat.printer().emittingSingleLine(true).printToString(message);
    }

    @Test
    void theServicesAreListed() throws Exception {
        ServerReflectionResponse answer = reflect(
                nodes.channel(0),
                ServerReflectionRequest.newBuilder().setListServices("").build());
        assertThat(answer.getListServicesResponse().getServiceList())
                .extracting(ServiceResponse::getName)
                .contains(SERVICE, "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection");
        assertThat(service.getMethods())
                .extracting(Descriptors.MethodDescriptor::getName)
                .containsExactly(
                        "Get",
                        "Put",
                        "Delete",
                        "BatchGet",
                        "BatchPut",
                        "Atomic",
                        "Scan",
                        "OpenSnapshot",
                        "CloseSnapshot",
                        "Locate",
                        "Status",
                        "Repair",
                        "RepairStatus",
                        "Membership",
                        "PlanRebalance",
                        "ChangeMembership",
                        "SlowCalls");
    }

    @Test
    void everyMethodCanBeCalled() throws Exception {
        assertThat(text(call(0, "Put", "key: 'generic a' value: 'one' policy { ack: 3 from: 3 } ttl_millis: 3600000")
                        .get(0)))
                .matches("version: \\d+");
        assertThat(text(call(1, "Get", "key: 'generic a'").get(0)))
                .matches("value \\{ data: \"one\" version: \\d+ expires_at_millis: \\d+ \\}");
        assertThat(text(call(2, "Get", "key: 'generic nothing'").get(0))).isEmpty();
        assertThat(text(call(
                                0,
                                "BatchPut",
                                "items { key: 'generic b' value: 'two' } items { key: 'generic c' } policy { "
                                        + "from: 3 ack: 3 }")
                        .get(0)))
                .matches("version: \\d+");
        assertThat(text(call(1, "BatchGet", "keys: 'generic b' keys: 'generic nothing' keys: 'generic b'")
                        .get(0)))
                .matches("entries \\{ key: \"generic b\" value \\{ data: \"two\" version: \\d+ \\} \\}");
        List<DynamicMessage> scanned = call(2, "Scan", "start: 'generic' end: 'generic z' scope: CLUSTER");
        assertThat(scanned).hasSize(1);
        assertThat(text(scanned.get(0)))
                .matches("entries .*\"generic a\".* entries .*\"generic b\".* entries .*\"generic c\".*");
        assertThat(text(call(0, "Delete", "key: 'generic a'").get(0))).matches("version: \\d+");
        assertThat(text(call(1, "Get", "key: 'generic a'").get(0))).isEmpty();
        assertThat(text(call(2, "Locate", "key: 'generic a'").get(0)))
                .matches("(partition: \\d+ )?(replicas: \"n[123]\" ?){3}");
        assertThat(text(call(1, "Status", "").get(0))).startsWith("id: \"n2\" epoch: 1 nodes { id: \"n1\"");
    }
}
