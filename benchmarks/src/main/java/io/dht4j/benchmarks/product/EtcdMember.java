package io.dht4j.benchmarks.product;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.dht4j.benchmarks.load.client.KeyNames;
import io.dht4j.benchmarks.load.client.Values;
import io.dht4j.benchmarks.product.etcd.KVGrpc;
import io.dht4j.benchmarks.product.etcd.PutRequest;
import io.dht4j.benchmarks.product.etcd.RangeRequest;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.workload.ValueSizes;
import io.dht4j.testkit.network.FreePorts;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * etcd: a server in a process of its own, which the load calls over gRPC on loopback. Its defaults: a put is
 * acknowledged when a majority has written and forced it, a get is linearizable.
 */
final class EtcdMember implements Member {

    private static final String HTTP = "http://127.0.0.1:";
    private static final long LOOK_SECONDS = 1;
    private static final long END_SECONDS = 5;

    private final Process server;
    private final ManagedChannel channel;
    private final KVGrpc.KVFutureStub requests;
    private final int members;
    private final Values values;

    EtcdMember(MemberSpec spec) {
        int port = FreePorts.find(1).get(0);
        this.server = start(spec, port);
        this.channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
        this.requests = KVGrpc.newFutureStub(channel);
        this.members = spec.ports().size();
        this.values = new Values(spec.valueBytes());
    }

    private static Process start(MemberSpec spec, int port) {
        List<Integer> ports = spec.ports();
        String peers = IntStream.range(0, ports.size())
                .mapToObj(i -> "n" + i + "=" + HTTP + ports.get(i))
                .collect(Collectors.joining(","));
        String own = HTTP + ports.get(spec.index());
        List<String> command = List.of(
                Product.ETCD_COMMAND,
                "--name=n" + spec.index(),
                "--data-dir=" + spec.directory(),
                "--log-level=error",
                "--listen-peer-urls=" + own,
                "--initial-advertise-peer-urls=" + own,
                "--listen-client-urls=" + HTTP + port,
                "--advertise-client-urls=" + HTTP + port,
                "--initial-cluster=" + peers,
                "--initial-cluster-token=bench-" + ports.get(0));
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(new File(spec.directory() + ".log"))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + Product.ETCD_COMMAND, e);
        }
    }

    @Override
    public CompletionStage<Outcome> get(long key) {
        return outcome(
                requests.range(RangeRequest.newBuilder().setKey(name(key)).build()),
                found -> found.getKvsCount() == 0 ? Outcome.ABSENT : Outcome.DONE);
    }

    @Override
    public CompletionStage<Outcome> put(long key, int valueBytes) {
        PutRequest request = PutRequest.newBuilder()
                .setKey(name(key))
                .setValue(UnsafeByteOperations.unsafeWrap(values.of(key, valueBytes)))
                .build();
        return outcome(requests.put(request), done -> Outcome.DONE);
    }

    private static ByteString name(long key) {
        return ByteString.copyFromUtf8(KeyNames.of(key));
    }

    private static <T> CompletionStage<Outcome> outcome(ListenableFuture<T> answer, Function<T, Outcome> read) {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        Futures.addCallback(
                answer,
                new FutureCallback<T>() {
                    @Override
                    public void onSuccess(@Nullable T value) {
                        outcome.complete(read.apply(value));
                    }

                    @Override
                    public void onFailure(Throwable failure) {
                        outcome.completeExceptionally(failure);
                    }
                },
                MoreExecutors.directExecutor());
        return outcome;
    }

    @Override
    public ValueSizes valueSizes() {
        return values.sizes();
    }

    @Override
    public Map<String, String> settings() {
        return Map.of(
                "server", "etcd, with its defaults, called over gRPC on loopback",
                "put", "acknowledged by a majority, which has forced it",
                "get", "linearizable");
    }

    /** Returns all members once a majority of them answers. */
    @Override
    public int clusterSize() {
        try {
            KVGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(LOOK_SECONDS, TimeUnit.SECONDS)
                    .range(RangeRequest.newBuilder().setKey(name(0)).build());
            return members;
        } catch (StatusRuntimeException e) {
            // Without a majority it does not answer.
            return 1;
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
        server.destroy();
        try {
            if (!server.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                server.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            server.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
