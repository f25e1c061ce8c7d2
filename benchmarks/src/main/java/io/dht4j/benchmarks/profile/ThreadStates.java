package io.dht4j.benchmarks.profile;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The use of time by groups of threads. The JVM's own thread states report {@code RUNNABLE} for an event loop that
 * waits for sockets; stacks of {@link ProfileEvent#WALL} show the difference.
 *
 * @param rows one for each group of threads, the one with most time first
 */
public record ThreadStates(List<Row> rows) {

    private static final List<String> SLEEPS = List.of("java/lang/Thread.sleep", "clock_nanosleep", "nanosleep");

    private static final List<String> SOCKETS = List.of(
            "io/netty/channel/epoll/Native.epollWait",
            "io/netty/channel/epoll/Native.epollBusyWait",
            "io/netty/channel/epoll/EpollIoHandler.epollWait",
            "sun/nio/ch/EPoll.wait",
            "sun/nio/ch/Net.poll",
            "sun/nio/ch/Net.accept",
            "one/nio/net/NativeSelector.epollWait",
            "one/nio/net/NativeSocket.read",
            "one/nio/net/NativeSocket.accept",
            "epoll_wait",
            "epoll_pwait",
            "accept",
            "poll",
            "__poll");

    private static final List<String> FILES = List.of(
            "sun/nio/ch/FileChannelImpl.",
            "java/io/FileInputStream.",
            "java/io/FileOutputStream.",
            "java/io/RandomAccessFile.",
            "sun/nio/fs/UnixNativeDispatcher.",
            "java/io/FileDescriptor.sync");

    private static final List<String> PARKS = List.of(
            "java/util/concurrent/locks/LockSupport.park", "jdk/internal/misc/Unsafe.park", "java/lang/Object.wait");

    /** States of threads of the JVM, which have no Java frames. */
    private static final List<String> NATIVE_WAITS = List.of(
            "pthread_cond_",
            "__pthread_cond_",
            "__futex_abstimed",
            "do_futex_wait",
            "sem_wait",
            "__sem_wait",
            "__new_sem_wait",
            "Monitor::wait",
            "sigwait",
            "do_sigwait",
            "__sigwait",
            "sigtimedwait");

    private static final List<String> MONITORS =
            List.of("ObjectMonitor::enter", "SharedRuntime::complete_monitor_locking", "ObjectSynchronizer::enter");

    /** Keeps an unmodifiable copy. */
    public ThreadStates {
        rows = List.copyOf(rows);
    }

    /**
     * A group of threads.
     *
     * @param threads their name, with {@code *} for numbers
     * @param nanos the time of all of them together
     * @param shares share of each state, 0 to 1, in sum 1
     */
    public record Row(String threads, long nanos, Map<ThreadState, Double> shares) {

        /** Keeps an unmodifiable copy. */
        public Row {
            shares = Map.copyOf(shares);
        }
    }

    /**
     * Makes the table.
     *
     * @param wall stacks of a profile of {@link ProfileEvent#WALL}
     * @return a row for each group
     */
    public static ThreadStates of(CollapsedStacks wall) {
        Map<String, Map<ThreadState, Long>> groups = new HashMap<>();
        wall.forEach(
                (frames, count) -> groups.computeIfAbsent(group(frames.get(0)), g -> new EnumMap<>(ThreadState.class))
                        .merge(state(frames), count, Long::sum));
        return new ThreadStates(groups.entrySet().stream()
                .map(group -> row(group.getKey(), group.getValue()))
                .sorted(Comparator.comparingLong(Row::nanos).reversed().thenComparing(Row::threads))
                .toList());
    }

    private static String group(String thread) {
        return thread.startsWith("[") && thread.endsWith("]") ? thread.substring(1, thread.length() - 1) : "?";
    }

    private static Row row(String group, Map<ThreadState, Long> nanos) {
        long total = nanos.values().stream().mapToLong(Long::longValue).sum();
        Map<ThreadState, Double> shares = new EnumMap<>(ThreadState.class);
        nanos.forEach((state, time) -> shares.put(state, total == 0 ? 0 : (double) time / total));
        return new Row(group, total, shares);
    }

    private static ThreadState state(List<String> frames) {
        for (int i = frames.size() - 1; i > 0; i--) {
            StackFrame frame = StackFrame.parse(frames.get(i));
            if (frame.startsWithAny(SLEEPS)) {
                return ThreadState.SLEEPING;
            }
            if (frame.startsWithAny(MONITORS)) {
                return ThreadState.BLOCKED;
            }
            if (frame.startsWithAny(SOCKETS)) {
                return ThreadState.NETWORK;
            }
            if (frame.startsWithAny(FILES)) {
                return ThreadState.FILE;
            }
            if (frame.startsWithAny(PARKS)) {
                return waitsForALock(frames.subList(1, i)) ? ThreadState.BLOCKED : ThreadState.WAITING;
            }
        }
        boolean waits = frames.stream().map(StackFrame::parse).anyMatch(frame -> frame.startsWithAny(NATIVE_WAITS));
        return waits ? ThreadState.WAITING : ThreadState.RUNNING;
    }

    /** Returns whether the thread parked for a lock, not for a condition, a semaphore or a future. */
    private static boolean waitsForALock(List<String> above) {
        for (int i = above.size() - 1; i >= 0; i--) {
            String name = StackFrame.parse(above.get(i)).name();
            if (!name.startsWith(LayerRules.JUC_LOCKS)) {
                return false;
            }
            if (LOCKING.stream().anyMatch(name::endsWith)) {
                return true;
            }
            if (name.contains("ConditionObject")) {
                return false;
            }
        }
        return false;
    }

    private static final Set<String> LOCKING = Set.of(
            "ReentrantLock.lock",
            "ReentrantLock$Sync.lock",
            "ReentrantReadWriteLock$WriteLock.lock",
            "ReentrantReadWriteLock$ReadLock.lock",
            "StampedLock.writeLock",
            "StampedLock.readLock",
            "StampedLock.acquireWrite",
            "StampedLock.acquireRead",
            "ReentrantLock.lockInterruptibly",
            "ReentrantLock.tryLock");
}
