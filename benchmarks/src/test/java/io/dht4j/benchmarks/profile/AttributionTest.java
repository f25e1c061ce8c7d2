package io.dht4j.benchmarks.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttributionTest {

    private static final String LOOP = "[vert.x-eventloop-thread-*];java/lang/Thread.run_[j];"
            + "io/netty/util/concurrent/SingleThreadEventExecutor$5.run_[j];";

    private static Layer layer(ProfileEvent event, String stack) {
        return Attribution.layer(event, List.of(stack.split(";")));
    }

    private static Layer layer(String stack) {
        return layer(ProfileEvent.CPU, stack);
    }

    @ParameterizedTest
    @CsvSource({
        "PUBLIC_API, io/dht4j/transport/http/internal/api/HttpApiHandler.put_[j]",
        "PUBLIC_API, io/dht4j/transport/grpc/api/internal/server/ApiCall.onMessage_[0]",
        "PUBLIC_API, io/dht4j/v1/PutRequest.parseFrom_[1]",
        "COORDINATOR, io/dht4j/core/internal/coordinator/WriteOperation.start_[j]",
        "COORDINATOR, io/dht4j/core/internal/replica/PeerEndpoint.handle_[j]",
        "COORDINATOR, com/dynatrace/hash4j/hashing/XXH3_64.hashBytesToLong_[j]",
        "CODEC, io/dht4j/core/internal/wire/FrameCodec.encode_[j]",
        "TRANSPORT_CLIENT, io/dht4j/transport/http/internal/vertx/VertxLane.send_[j]",
        "TRANSPORT_CLIENT, io/vertx/ext/web/client/impl/HttpContext.next_[j]",
        "TRANSPORT_CLIENT, jdk/internal/net/http/Http1Exchange.sendHeadersAsync_[j]",
        "TRANSPORT_CLIENT, one/nio/http/HttpClient.invoke_[j]",
        "TRANSPORT_CLIENT, io/dht4j/transport/grpc/internal/client/StreamLane.send_[j]",
        "TRANSPORT_CLIENT, io/dht4j/transport/tcp/TcpTransport.call_[j]",
        "TRANSPORT_CLIENT, io/dht4j/transport/tcp/internal/client/Lane.run_[j]",
        "TRANSPORT_CLIENT, io/dht4j/transport/common/calls/PeerCalls.call_[j]",
        "TRANSPORT_CLIENT, io/grpc/netty/shaded/io/grpc/netty/NettyClientHandler.write_[j]",
        "TRANSPORT_CLIENT, io/vertx/core/http/impl/http1/Http1ClientConnection$Stream.write_[j]",
        "TRANSPORT_CLIENT, io/netty/handler/codec/http/HttpClientCodec$Encoder.encode_[j]",
        "TRANSPORT_SERVER, io/vertx/core/http/impl/http1/Http1ServerConnection.handleMessage_[j]",
        "TRANSPORT_SERVER, io/dht4j/transport/http/internal/server/HttpTransportServer.handle_[j]",
        "TRANSPORT_SERVER, io/dht4j/transport/tcp/internal/server/ServerConnection.read_[j]",
        "TRANSPORT_SERVER, io/dht4j/transport/grpc/internal/server/ServerStream.onMessage_[j]",
        "TRANSPORT_SERVER, io/netty/handler/codec/http/HttpServerCodec$HttpServerRequestDecoder.decode_[j]",
        "TRANSPORT_SERVER, io/grpc/netty/shaded/io/grpc/netty/NettyServerHandler.onDataRead_[j]",
        "STORE, io/dht4j/store/memory/MemoryStore.apply_[j]",
        "STORE, org/h2/mvstore/MVMap.get_[j]",
        "EXECUTORS, java/util/concurrent/ThreadPoolExecutor.runWorker_[j]",
        "EXECUTORS, java/util/concurrent/CompletableFuture.postComplete_[j]",
        "EXECUTORS, io/dht4j/core/internal/replica/StoreGate.drain_[j]",
        "EXECUTORS, io/netty/util/internal/shaded/org/jctools/queues/BaseMpscLinkedArrayQueue.offer_[j]",
        "LOCKS, java/util/concurrent/locks/ReentrantLock.lock_[j]",
        "LOCKS, ObjectMonitor::enter(JavaThread*)",
        "GC_AND_JIT, G1CollectedHeap::attempt_allocation_slow(unsigned long)",
        "KERNEL, tcp_sendmsg_[k]",
        "KERNEL, __libc_write",
        "KERNEL, __GI_read",
        "PROFILER, one/profiler/AsyncProfiler.execute_[j]",
        "PROFILER, Profiler::recordSample(void*)",
        "GENERATOR, io/dht4j/lab/internal/load/open/Sender.run_[j]",
        "GENERATOR, io/dht4j/benchmarks/load/client/HttpLoop.run_[j]",
    })
    void aFrameBelongsToALayer(Layer layer, String frame) {
        assertThat(layer("[thread];java/lang/Thread.run_[j];" + frame)).isEqualTo(layer);
    }

    @Test
    void theLeafMostFrameThatIsKnownDecides() {
        assertThat(layer(LOOP + "io/dht4j/transport/http/internal/api/HttpApiHandler.put_[j];"
                        + "io/dht4j/core/internal/coordinator/WriteOperation.start_[j];"
                        + "io/dht4j/core/internal/wire/FrameWriter.bytes_[i];"
                        + "java/util/Arrays.copyOf_[i];jbyte_disjoint_arraycopy"))
                .isEqualTo(Layer.CODEC);
        assertThat(layer(LOOP
                        + "io/dht4j/core/internal/coordinator/Peers.call_[j];"
                        + "java/util/concurrent/ConcurrentHashMap.get_[i]"))
                .isEqualTo(Layer.COORDINATOR);
        assertThat(layer(LOOP + "io/dht4j/store/mvstore/WriteAheadLog.append_[j];sun/nio/ch/FileChannelImpl.write_[j];"
                        + "vfs_write_[k];ext4_file_write_iter_[k]"))
                .isEqualTo(Layer.KERNEL);
    }

    @Test
    void threadsOfJvmAndProfilerCountForTheirLayers() {
        assertThat(layer("[C2 CompilerThre];start_thread;brk;do_page_fault_[k]"))
                .isEqualTo(Layer.GC_AND_JIT);
        assertThat(layer("[GC Thread#*];start_thread")).isEqualTo(Layer.GC_AND_JIT);
        assertThat(layer("[Async-profiler ];start_thread")).isEqualTo(Layer.PROFILER);
    }

    @Test
    void locksWithinQueuesAndPoolsCountForThese() {
        String parked = "java/util/concurrent/LinkedBlockingQueue.take_[j];"
                + "java/util/concurrent/locks/AbstractQueuedSynchronizer$ConditionObject.await_[j];"
                + "java/util/concurrent/locks/LockSupport.park_[j];jdk/internal/misc/Unsafe.park_[0];"
                + "LockTracer::UnsafeParkHook;Unsafe_Park;Parker::park;"
                + "pthread_cond_wait";
        assertThat(layer(ProfileEvent.WALL, "[pool-*];" + parked)).isEqualTo(Layer.EXECUTORS);
        assertThat(layer("[main];io/dht4j/store/mvstore/Memtables.get_[j];"
                        + "java/util/concurrent/locks/ReentrantReadWriteLock$ReadLock.lock_[j];"
                        + "java/util/concurrent/locks/AbstractQueuedSynchronizer.acquireShared_[j]"))
                .isEqualTo(Layer.LOCKS);
    }

    @Test
    void aProfileOfLocksSaysWhoseLocksTheyAre() {
        String stack =
                "[store-*];io/dht4j/store/mvstore/Memtables.put_[j];java/util/concurrent/locks/ReentrantLock.lock_[j];"
                        + "java/util/concurrent/locks/LockSupport.park_[j];"
                        + "java.util.concurrent.locks.ReentrantLock$NonfairSync_[i]";
        assertThat(layer(ProfileEvent.LOCK, stack)).isEqualTo(Layer.STORE);
        assertThat(layer(ProfileEvent.CPU, stack)).isEqualTo(Layer.LOCKS);
    }

    @Test
    void allocatedTypeDoesNotDecideTheLayer() {
        assertThat(layer(ProfileEvent.ALLOC, "[main];io/dht4j/core/internal/wire/FrameWriter.grow_[j];byte[]_[k]"))
                .isEqualTo(Layer.CODEC);
        assertThat(layer(ProfileEvent.ALLOC, "[main];io/dht4j/core/internal/wire/FrameReader.key_[j];io.dht4j.Key_[k]"))
                .isEqualTo(Layer.CODEC);
    }

    @Test
    void nettyIsAttributedToTheSideThatUsesItIfKnown() {
        String read = "io/netty/channel/DefaultChannelPipeline.fireChannelRead_[j];";
        assertThat(layer(LOOP + read
                        + "io/vertx/core/http/impl/HttpServerImpl.handle_[j];io/netty/buffer/ByteBuf.write_[j]"))
                .isEqualTo(Layer.TRANSPORT_SERVER);
        assertThat(layer(LOOP + read + "io/netty/buffer/ByteBuf.write_[j]")).isEqualTo(Layer.TRANSPORT_SHARED);
        assertThat(layer(LOOP + "java/util/ArrayDeque.poll_[j]")).isEqualTo(Layer.EXECUTORS);
    }

    @Test
    void unknownFramesCountAsOther() {
        assertThat(layer("[main];com/example/Main.main_[j];java/util/HashMap.get_[i]"))
                .isEqualTo(Layer.OTHER);
        assertThat(layer("[main]")).isEqualTo(Layer.OTHER);
    }

    @Test
    void sharesArePartsOfTheWholeInAFixedOrder() {
        CollapsedStacks stacks = new CollapsedStacks(Map.of(
                "[a];org/h2/mvstore/MVMap.get_[j]", 30L,
                "[a];futex_wake_[k]", 60L,
                "[b];org/h2/mvstore/MVMap.put_[j]", 10L));
        Attribution attribution = Attribution.of(ProfileEvent.CPU, stacks);
        assertThat(attribution.shares()).containsExactly(Map.entry("store", 0.4), Map.entry("kernel", 0.6));
        assertThat(Attribution.only(ProfileEvent.CPU, stacks, Layer.KERNEL).counts())
                .isEqualTo(Map.of("[a];futex_wake_[k]", 60L));
        assertThat(Attribution.of(ProfileEvent.CPU, new CollapsedStacks(Map.of()))
                        .shares())
                .isEmpty();
    }
}
