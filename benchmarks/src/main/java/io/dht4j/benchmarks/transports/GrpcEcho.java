package io.dht4j.benchmarks.transports;

import io.dht4j.lab.Echo;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Bare gRPC: bytes without protobuf, handlers on the event loops; a call for each request, or one stream for all. */
final class GrpcEcho implements Echo {

    private final MethodDescriptor<byte[], byte[]> method;
    private final Server server;
    private final ManagedChannel channel;
    private final Queue<CompletableFuture<byte[]>> waiting = new ArrayDeque<>();
    private final AtomicReference<StreamObserver<byte[]>> stream = new AtomicReference<>();

    GrpcEcho(boolean streaming) throws IOException {
        method = MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(streaming ? MethodType.BIDI_STREAMING : MethodType.UNARY)
                .setFullMethodName("bare/echo")
                .setRequestMarshaller(new Bytes())
                .setResponseMarshaller(new Bytes())
                .build();
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder("bare");
        if (streaming) {
            service.addMethod(method, ServerCalls.asyncBidiStreamingCall(GrpcEcho::echo));
        } else {
            service.addMethod(method, ServerCalls.asyncUnaryCall((request, answer) -> {
                answer.onNext(request);
                answer.onCompleted();
            }));
        }
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directExecutor()
                .addService(service.build())
                .build()
                .start();
        channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                .usePlaintext()
                .directExecutor()
                .build();
        if (streaming) {
            stream.set(ClientCalls.asyncBidiStreamingCall(channel.newCall(method, CallOptions.DEFAULT), new Answers()));
        }
    }

    private static StreamObserver<byte[]> echo(StreamObserver<byte[]> answers) {
        return new StreamObserver<>() {
            @Override
            public void onNext(byte[] request) {
                answers.onNext(request);
            }

            @Override
            public void onError(Throwable error) {
                answers.onError(error);
            }

            @Override
            public void onCompleted() {
                answers.onCompleted();
            }
        };
    }

    @Override
    public CompletionStage<byte[]> call(byte[] request) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        StreamObserver<byte[]> open = stream.get();
        if (open == null) {
            ClientCalls.asyncUnaryCall(channel.newCall(method, CallOptions.DEFAULT), request, new Answer(answer));
        } else {
            synchronized (waiting) {
                waiting.add(answer);
                open.onNext(request);
            }
        }
        return answer;
    }

    @Override
    public void close() {
        try {
            channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
            server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Receives the single answer of a call. */
    private record Answer(CompletableFuture<byte[]> future) implements StreamObserver<byte[]> {

        @Override
        public void onNext(byte[] value) {
            future.complete(value);
        }

        @Override
        public void onError(Throwable error) {
            future.completeExceptionally(error);
        }

        @Override
        public void onCompleted() {
            // The value arrived before.
        }
    }

    /** Receives the stream's answers, which have the order of the requests. */
    private final class Answers implements StreamObserver<byte[]> {

        @Override
        public void onNext(byte[] value) {
            CompletableFuture<byte[]> next;
            synchronized (waiting) {
                next = waiting.remove();
            }
            next.complete(value);
        }

        @Override
        public void onError(Throwable error) {
            synchronized (waiting) {
                waiting.forEach(each -> each.completeExceptionally(error));
                waiting.clear();
            }
        }

        @Override
        public void onCompleted() {
            onError(new IllegalStateException("the stream has ended"));
        }
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {

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
    }
}
