package io.dht4j.benchmarks.profile;

import java.util.List;
import java.util.Set;

/** The rules of {@link Attribution}: the first that matches a frame counts. */
final class LayerRules {

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
            "[Attach Listener",
            "[java]");

    static final List<String> PROFILER_THREADS = List.of("[Async-profiler", "[counters");

    /** System calls by their names in the C library, the only sign of the kernel if timers take the profile. */
    private static final Set<String> SYSTEM_CALLS = Set.of(
            "read",
            "write",
            "writev",
            "readv",
            "send",
            "recv",
            "sendmsg",
            "recvmsg",
            "sendto",
            "recvfrom",
            "epoll_wait",
            "epoll_ctl",
            "epoll_pwait",
            "epoll_pwait2",
            "pread64",
            "pwrite64",
            "fsync",
            "fdatasync",
            "madvise",
            "mmap",
            "munmap",
            "mprotect",
            "sched_yield",
            "eventfd_read",
            "eventfd_write",
            "accept4",
            "close",
            "syscall");

    private static final List<String> C_LIBRARY = List.of("__GI_", "__libc_", "__");

    /** Functions of the JVM that only wait or wake for a caller in Java. */
    private static final List<String> WAITING = List.of(
            "Parker::",
            "os::PlatformEvent::",
            "PlatformEvent::",
            "PlatformMutex::",
            "PlatformMonitor::",
            // The profiler inserts it between Java and the JVM after a profile of locks.
            "LockTracer::UnsafeParkHook");

    /** Locks of waits for a queue or a task are uncontended. */
    static final String JUC_LOCKS = "java/util/concurrent/locks/";

    /** Collections, which serve their callers. */
    private static final List<String> COLLECTIONS = List.of(
            "java/util/concurrent/ConcurrentHashMap",
            "java/util/concurrent/ConcurrentSkipList",
            "java/util/concurrent/CopyOnWrite",
            "java/util/concurrent/ThreadLocalRandom",
            "java/util/concurrent/TimeUnit",
            "java/util/concurrent/atomic/",
            JUC_LOCKS);

    /** Libraries whose class names show the client or the server side. */
    private static final List<String> LIBRARIES =
            List.of("io/vertx/core/http/", "io/vertx/core/net/", "io/netty/handler/codec/http", "io/grpc/");

    static final List<LayerRule> ALL = List.of(
            new LayerRule(Layer.KERNEL, frame -> frame.kernel() || isSystemCall(frame.name())),
            LayerRule.names(
                    Layer.PROFILER, "one/profiler/", "io/dht4j/benchmarks/profile/", "io/dht4j/lab/internal/counters/"),
            new LayerRule(
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
            LayerRule.names(
                    Layer.LOCKS,
                    JUC_LOCKS,
                    "ObjectMonitor::",
                    "ObjectSynchronizer::",
                    "SharedRuntime::complete_monitor",
                    "SharedRuntime::monitor",
                    "java/lang/Object.wait",
                    "java/lang/Object.notify"),
            new LayerRule(Layer.GC_AND_JIT, StackFrame::isCpp),
            LayerRule.names(Layer.GENERATOR, "io/dht4j/benchmarks/load/", "io/dht4j/lab/internal/load/"),
            LayerRule.names(
                    Layer.PUBLIC_API,
                    "io/dht4j/transport/http/internal/api/",
                    "io/dht4j/transport/http/internal/common/",
                    "io/dht4j/transport/grpc/api/internal/server/",
                    "io/dht4j/transport/grpc/api/internal/common/",
                    "io/dht4j/v1/"),
            LayerRule.names(Layer.CODEC, "io/dht4j/core/internal/wire/"),
            LayerRule.names(
                    Layer.EXECUTORS, "io/dht4j/core/internal/replica/StoreGate", "io/dht4j/core/SystemEnvironment"),
            LayerRule.names(Layer.COORDINATOR, "io/dht4j/core/", "com/dynatrace/hash4j/"),
            LayerRule.names(Layer.STORE, "io/dht4j/store/", "org/h2/"),
            LayerRule.names(
                    Layer.TRANSPORT_SERVER,
                    "io/dht4j/transport/http/internal/server/",
                    "io/dht4j/transport/http/internal/peer/PeerBody",
                    "io/dht4j/transport/grpc/internal/server/",
                    "io/dht4j/transport/grpc/internal/connections/",
                    "io/dht4j/transport/tcp/internal/server/",
                    "io/dht4j/transport/common/PeerAdmission",
                    "io/vertx/core/http/impl/http1/VertxHttpRequest",
                    "io/vertx/core/http/impl/http1/VertxHttpResponse",
                    "io/netty/handler/codec/http/HttpRequestDecoder",
                    "io/netty/handler/codec/http/HttpResponseEncoder"),
            new LayerRule(Layer.TRANSPORT_SERVER, frame -> frame.startsWithAny(LIBRARIES) && isOf("Server", frame)),
            LayerRule.names(
                    Layer.TRANSPORT_CLIENT,
                    "io/dht4j/transport/http/",
                    "io/dht4j/transport/grpc/",
                    "io/dht4j/transport/tcp/TcpTransport",
                    "io/dht4j/transport/tcp/internal/client/",
                    "io/dht4j/transport/common/calls/CallBudget",
                    "io/dht4j/transport/common/calls/PeerCall",
                    "io/dht4j/transport/common/calls/PeerLane",
                    "io/dht4j/transport/common/calls/WaitingCalls",
                    "io/vertx/core/http/impl/pool/",
                    "io/vertx/core/internal/pool/",
                    "io/vertx/ext/web/client/",
                    "io/netty/handler/codec/http/HttpResponseDecoder",
                    "io/netty/handler/codec/http/HttpRequestEncoder",
                    "java/net/http/",
                    "jdk/internal/net/http/",
                    "one/nio/",
                    "io/grpc/internal/DelayedStream",
                    "io/grpc/internal/RetriableStream",
                    "io/grpc/internal/ManagedChannel"),
            new LayerRule(Layer.TRANSPORT_CLIENT, frame -> frame.startsWithAny(LIBRARIES) && isOf("Client", frame)),
            new LayerRule(
                    Layer.EXECUTORS,
                    frame -> frame.name().startsWith("java/util/concurrent/") && !frame.startsWithAny(COLLECTIONS)),
            LayerRule.names(
                    Layer.EXECUTORS,
                    "io/netty/util/internal/shaded/org/jctools/",
                    "io/netty/channel/epoll/Native.epollWait",
                    "io/netty/channel/epoll/EpollIoHandler.epollWait",
                    "sun/nio/ch/EPoll.wait",
                    "sun/nio/ch/EPollSelectorImpl.",
                    "sun/nio/ch/SelectorImpl.",
                    "io/vertx/core/impl/future/",
                    "java/lang/Thread.sleep"));

    /** For stacks without a matching frame: the libraries of either side. */
    static final List<LayerRule> WEAK = List.of(
            LayerRule.names(
                    Layer.EXECUTORS,
                    "io/netty/channel/nio/NioIoHandler.",
                    "io/netty/channel/epoll/EpollIoHandler.",
                    "io/netty/channel/nio/NioEventLoop.",
                    "io/netty/channel/epoll/EpollEventLoop.",
                    "io/netty/channel/SingleThreadIoEventLoop.",
                    "io/netty/channel/DefaultSelectStrategy"),
            LayerRule.names(
                    Layer.TRANSPORT_SHARED,
                    "io/dht4j/transport/tcp/",
                    "io/netty/channel/",
                    "io/netty/handler/",
                    "io/netty/buffer/",
                    "io/netty/bootstrap/",
                    "io/vertx/core/",
                    "io/grpc/",
                    "sun/nio/ch/"),
            LayerRule.names(Layer.EXECUTORS, "io/netty/util/concurrent/"));

    private LayerRules() {}

    /** Returns whether a frame serves its caller, regardless of the rules. */
    static boolean isTransparent(StackFrame frame) {
        return frame.startsWithAny(WAITING);
    }

    private static boolean isSystemCall(String function) {
        for (String prefix : C_LIBRARY) {
            if (function.startsWith(prefix)) {
                return SYSTEM_CALLS.contains(function.substring(prefix.length()));
            }
        }
        return SYSTEM_CALLS.contains(function);
    }

    private static boolean isOf(String side, StackFrame frame) {
        int method = frame.name().indexOf('.');
        String type = method < 0 ? frame.name() : frame.name().substring(0, method);
        return type.indexOf(side, type.lastIndexOf('/') + 1) >= 0;
    }
}
