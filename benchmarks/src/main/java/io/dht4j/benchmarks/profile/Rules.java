package io.dht4j.benchmarks.profile;

import java.util.List;
import java.util.Set;

/** The rules of {@link Attribution}: for a frame, the first that holds counts. */
final class Rules {

    /** Threads of the JVM itself. */
    static final List<String> JVM_THREADS = List.of(
            "[GC Thread",
            "[G1 ",
            "[C1 CompilerThre",
            "[C2 CompilerThre",
            "[VM Thread",
            "[VM Periodic",
            "[Monitor Deflati",
            "[Service Thread",
            "[Signal Dispatch",
            "[Sweeper thread",
            "[Reference Handl",
            "[Finalizer",
            "[Common-Cleaner",
            "[Notification Th",
            "[ParGC",
            "[ZDriver",
            "[ZWorker",
            "[Shenandoah",
            "[Attach Listener");

    static final List<String> PROFILER_THREADS = List.of("[Async-profiler", "[counters");

    /** System calls as the C library names them: all that is seen of the kernel where timers take the profile. */
    private static final Set<String> SYSTEM_CALLS = Set.of(
            "read",
            "__read",
            "__libc_read",
            "write",
            "__write",
            "__libc_write",
            "writev",
            "__writev",
            "readv",
            "send",
            "__send",
            "__libc_send",
            "recv",
            "__recv",
            "__libc_recv",
            "sendmsg",
            "__sendmsg",
            "recvmsg",
            "__recvmsg",
            "sendto",
            "__sendto",
            "recvfrom",
            "__recvfrom",
            "epoll_wait",
            "__epoll_wait",
            "epoll_ctl",
            "__epoll_ctl",
            "epoll_pwait2",
            "pread",
            "pread64",
            "__pread64",
            "pwrite",
            "pwrite64",
            "__pwrite64",
            "fsync",
            "__fsync",
            "fdatasync",
            "__fdatasync",
            "madvise",
            "__madvise",
            "mmap",
            "__mmap",
            "munmap",
            "__munmap",
            "mprotect",
            "__mprotect",
            "sched_yield",
            "__sched_yield",
            "eventfd_read",
            "eventfd_write",
            "accept4",
            "close",
            "__close",
            "syscall");

    /** Locks that wait for something in a queue or for a task are not contended. */
    static final String JUC_LOCKS = "java/util/concurrent/locks/";

    /** Collections, which serve whoever uses them. */
    private static final List<String> COLLECTIONS = List.of(
            "java/util/concurrent/ConcurrentHashMap",
            "java/util/concurrent/ConcurrentSkipList",
            "java/util/concurrent/CopyOnWrite",
            "java/util/concurrent/ThreadLocalRandom",
            "java/util/concurrent/TimeUnit",
            "java/util/concurrent/atomic/",
            JUC_LOCKS);

    static final List<Rule> ALL = List.of(
            new Rule(Layer.KERNEL, frame -> frame.kernel() || SYSTEM_CALLS.contains(frame.name())),
            Rule.names(
                    Layer.PROFILER, "one/profiler/", "io/dht4j/benchmarks/profile/", "io/dht4j/benchmarks/counters/"),
            new Rule(
                    Layer.PROFILER,
                    frame -> frame.startsWithAny(List.of(
                            "Profiler::",
                            "PerfEvents::",
                            "ObjectSampler::",
                            "LockTracer::",
                            "CallTraceStorage::",
                            "WallClock::",
                            "StackWalker::",
                            "CTimer::",
                            "ITimer::"))),
            Rule.names(
                    Layer.LOCKS,
                    JUC_LOCKS,
                    "ObjectMonitor::",
                    "ObjectSynchronizer::",
                    "SharedRuntime::complete_monitor",
                    "SharedRuntime::monitor",
                    "java/lang/Object.wait",
                    "java/lang/Object.notify"),
            new Rule(Layer.GC_AND_JIT, Frame::isCpp),
            Rule.names(Layer.GENERATOR, "io/dht4j/benchmarks/load/", "io/dht4j/benchmarks/target/"),
            Rule.names(
                    Layer.PUBLIC_API,
                    "io/dht4j/transport/http/HttpApi",
                    "io/dht4j/transport/http/Ndjson",
                    "io/dht4j/transport/grpc/GrpcApi",
                    "io/dht4j/v1/"),
            Rule.names(Layer.CODEC, "io/dht4j/core/internal/wire/"),
            Rule.names(Layer.EXECUTORS, "io/dht4j/core/internal/replica/StoreGate", "io/dht4j/core/SystemEnvironment"),
            Rule.names(Layer.COORDINATOR, "io/dht4j/core/", "com/dynatrace/hash4j/"),
            Rule.names(Layer.STORE, "io/dht4j/store/", "org/h2/"),
            Rule.names(
                    Layer.TRANSPORT_SERVER,
                    "io/dht4j/transport/http/HttpTransportServer",
                    "io/dht4j/transport/http/HttpTransportBody",
                    "io/dht4j/transport/http/HttpListener",
                    "io/dht4j/transport/grpc/GrpcTransportServer",
                    "io/dht4j/transport/grpc/GrpcTransportUnaryExchange",
                    "io/dht4j/transport/grpc/GrpcTransportAdmission",
                    "io/vertx/core/http/impl/HttpServer",
                    "io/vertx/core/http/impl/http1x/Http1xServer",
                    "io/vertx/core/http/impl/http1/Http1Server",
                    "io/vertx/core/http/impl/Http1xServer",
                    "io/vertx/core/http/impl/http1x/VertxHttpResponse",
                    "io/vertx/core/http/impl/http1x/VertxHttpRequestDecoder",
                    "io/vertx/core/http/impl/VertxHttpRequestDecoder",
                    "io/vertx/core/http/impl/VertxHttpResponseEncoder",
                    "io/netty/handler/codec/http/HttpServer",
                    "io/netty/handler/codec/http/HttpRequestDecoder",
                    "io/netty/handler/codec/http/HttpResponseEncoder",
                    "io/grpc/internal/Server",
                    "io/grpc/internal/AbstractServerStream",
                    "io/grpc/netty/NettyServer",
                    "io/grpc/netty/AbstractNettyHandler",
                    "io/grpc/stub/ServerCalls"),
            Rule.names(
                    Layer.TRANSPORT_CLIENT,
                    "io/dht4j/transport/http/",
                    "io/dht4j/transport/grpc/",
                    "io/vertx/core/http/impl/HttpClient",
                    "io/vertx/core/http/impl/http1x/Http1xClient",
                    "io/vertx/core/http/impl/Http1xClient",
                    "io/vertx/core/http/impl/Http2Client",
                    "io/vertx/core/http/impl/VertxHttp2Client",
                    "io/vertx/core/http/impl/pool/",
                    "io/vertx/core/internal/pool/",
                    "io/vertx/ext/web/client/",
                    "io/netty/handler/codec/http/HttpClient",
                    "io/netty/handler/codec/http/HttpResponseDecoder",
                    "io/netty/handler/codec/http/HttpRequestEncoder",
                    "java/net/http/",
                    "jdk/internal/net/http/",
                    "one/nio/",
                    "io/grpc/internal/Client",
                    "io/grpc/internal/AbstractClientStream",
                    "io/grpc/internal/DelayedStream",
                    "io/grpc/internal/RetriableStream",
                    "io/grpc/internal/ManagedChannel",
                    "io/grpc/netty/NettyClient",
                    "io/grpc/stub/ClientCalls"),
            new Rule(
                    Layer.EXECUTORS,
                    frame -> frame.name().startsWith("java/util/concurrent/") && !frame.startsWithAny(COLLECTIONS)),
            Rule.names(
                    Layer.EXECUTORS,
                    "io/netty/util/internal/shaded/org/jctools/",
                    "io/netty/channel/epoll/Native.epollWait",
                    "io/netty/channel/epoll/EpollIoHandler.epollWait",
                    "sun/nio/ch/EPoll.wait",
                    "sun/nio/ch/EPollSelectorImpl.doSelect",
                    "io/vertx/core/impl/future/",
                    "java/lang/Thread.sleep"));

    /** For stacks in which no frame is known: the libraries that do the work of either side. */
    static final List<Rule> WEAK = List.of(
            Rule.names(
                    Layer.TRANSPORT_SHARED,
                    "io/netty/channel/",
                    "io/netty/handler/",
                    "io/netty/buffer/",
                    "io/netty/bootstrap/",
                    "io/vertx/core/",
                    "io/grpc/",
                    "sun/nio/ch/"),
            Rule.names(Layer.EXECUTORS, "io/netty/util/concurrent/"));

    private Rules() {}
}
